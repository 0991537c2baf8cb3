package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"runtime/metrics"
	"time"
)

// debugFlag is the address of a listener that shows the process from inside. It asks nobody for a key, so it is for this machine alone.
type debugFlag struct {
	DebugListen loopbackAddress `group:"Diagnostics" placeholder:"ADDR" help:"Serve figures and profiles of the Go runtime at this loopback address."`
}

type loopbackAddress string

func (l *loopbackAddress) UnmarshalText(text []byte) error {
	address, err := netip.ParseAddrPort(string(text))
	if err != nil || !address.Addr().IsLoopback() {
		return fmt.Errorf("%q is no loopback address and port: use for example 127.0.0.1:6060; port 0 picks a free one", text)
	}
	*l = loopbackAddress(text)
	return nil
}

// debugHeaderTimeout bounds how long a request may take to arrive.
const debugHeaderTimeout = 5 * time.Second

// start listens where the flag says and tells so on w. The returned function ends it.
func (f debugFlag) start(w io.Writer) (stop func(), err error) {
	if f.DebugListen == "" {
		return func() {}, nil
	}
	listener, err := listenOn("--debug-listen", string(f.DebugListen))
	if err != nil {
		return nil, err
	}
	debug := &http.Server{Handler: debugHandler(), ReadHeaderTimeout: debugHeaderTimeout}
	go func() { _ = debug.Serve(listener) }() // ends with stop
	fmt.Fprintf(w, "The runtime is shown at http://%s/debug/runtime and /debug/pprof/\n", listener.Addr())
	return func() { _ = debug.Close() }, nil
}

// debugHandler leaves out what would show the command line: it may hold a password.
func debugHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/runtime", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(readRuntime()) // an error means that the client has gone
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// runtimeFigures is what /debug/runtime answers.
type runtimeFigures struct {
	Goroutines uint64 `json:"goroutines"`
	HeapLive   uint64 `json:"heap_live_bytes"` // what the last collection found in use
	Memory     uint64 `json:"memory_bytes"`    // all that the runtime has from the system
}

func readRuntime() runtimeFigures {
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(samples)
	return runtimeFigures{samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()}
}
