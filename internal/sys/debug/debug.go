// Package debug serves figures and profiles of the Go runtime, to this machine
// alone.
package debug

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"runtime/metrics"
	"time"

	"github.com/rcpt/rcpt/internal/sys/listen"
)

// headerTimeout is the time limit for the header of a request.
const headerTimeout = 5 * time.Second

// Serve serves on the address of --debug-listen until stop is called, and
// prints where. It does nothing without an address.
func Serve(address string, w io.Writer) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := listen.On("--debug-listen", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: headerTimeout}
	go func() { _ = server.Serve(listener) }() // stop ends it
	fmt.Fprintf(w, "Runtime figures and profiles are at http://%s/debug/runtime and /debug/pprof/\n", listener.Addr())
	return func() { _ = server.Close() }, nil
}

// handler returns the handler of the debug routes. It does not show the
// command line, which may contain a password.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/runtime", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(readRuntime()) // an error means that the client disconnected
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return listen.OnlyLoopbackHosts(mux)
}

// figures is the response of /debug/runtime.
type figures struct {
	Goroutines uint64 `json:"goroutines"`
	HeapLive   uint64 `json:"heap_live_bytes"` // in use at the last garbage collection
	Memory     uint64 `json:"memory_bytes"`    // all memory that the runtime got from the system
}

func readRuntime() figures {
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"}}
	metrics.Read(samples)
	return figures{samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()}
}
