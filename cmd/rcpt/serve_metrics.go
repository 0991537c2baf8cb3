package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	runtimemetrics "runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/metrics"
	"github.com/rcpt/rcpt/smtpprobe"
)

// metricsFlag is the address of the metrics for Prometheus.
type metricsFlag struct {
	MetricsListen listenAddress `placeholder:"ADDR" help:"Address to serve metrics on, at /metrics, and the state of the network, at /health, without a key. Default: none."`
}

// figures are the metrics of a service.
type figures struct {
	metrics *metrics.Metrics
	waiting atomic.Int64 // greylisted addresses at the last count
}

// newFigures creates the metrics. The other parts of the service may be created
// later.
func (r *running) newFigures() (*figures, error) {
	config := metrics.Config{
		Version: version(), Routes: api.Routes(), Log: r.logger,
		Engine:    func() engine.Stats { return r.verifier.Stats() },
		Pacing:    func() []smtpprobe.ProviderPace { return r.verifier.Pacing() },
		Egresses:  func() []smtpprobe.Egress { return r.verifier.Egresses() },
		Admission: func() metrics.Admission { return metrics.Admission(r.server.Load()) },
		Keys:      r.state.keyFigures,
		Cache:     r.cacheFigures,
		Doctor:    r.doctorFigures,
	}
	if r.state.store != nil {
		config.Store = func() metrics.Store { return metrics.Store(r.state.store.Stats()) }
		config.Rechecks = r.recheckFigures
	}
	m, err := metrics.New(config)
	return &figures{metrics: m}, err
}

// hooks returns the hooks of the server.
func (r *running) hooks() api.Hooks {
	m := r.figures.metrics
	return api.Hooks{Answered: m.Request, Verified: m.Verified, Refused: func(why string) {
		m.Refused(why)
		r.watcher.refused(why)
	}}
}

func (r *running) cacheFigures() metrics.Cache {
	s := r.cache.Stats()
	return metrics.Cache{Hits: s.FromMemory, StoreHits: s.FromStore, Misses: s.Missed, Entries: s.Entries}
}

// countTimeout is how long a scrape waits for a count of the database. After
// that it shows the count before.
const countTimeout = time.Second

func (r *running) recheckFigures() metrics.Rechecks {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	if n, err := r.cache.Waiting(ctx); err == nil {
		r.figures.waiting.Store(int64(n))
	}
	s := r.cache.Stats()
	return metrics.Rechecks{Waiting: int(r.figures.waiting.Load()), Done: s.RechecksSettled,
		GivenUp: s.RechecksGivenUp, Dropped: s.RechecksDropped}
}

func (s *serviceState) keyFigures() metrics.Keys {
	now := time.Now()
	usable := 0
	for _, key := range s.keys.List() {
		if key.Usable(now) {
			usable++
		}
	}
	return metrics.Keys{Usable: usable, Age: s.keys.Stale()}
}

// start serves metrics and health until stop is called. It does nothing without
// an address.
func (f metricsFlag) start(out io.Writer, metrics, health http.Handler) (stop func(), err error) {
	if f.MetricsListen == "" {
		return func() {}, nil
	}
	listener, err := listenOn("--metrics-listen", string(f.MetricsListen))
	if err != nil {
		return nil, err
	}
	site := metricsServer(metrics, health)
	if isLoopback(listener.Addr()) {
		site.Handler = onlyLoopbackHosts(site.Handler)
	}
	ended := make(chan error, 1)
	go func() { ended <- site.Serve(listener) }()
	fmt.Fprintf(out, "Metrics are at http://%s/metrics\n", reachable(listener.Addr()))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := site.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			_ = site.Close()
		}
		<-ended
	}, nil
}

// metricsServer returns the server of metrics and health. It needs no key, so
// an idle connection must not be kept for long.
func metricsServer(metrics, health http.Handler) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /health", health)
	return &http.Server{
		Handler: mux, ReadTimeout: metricsTimeout, WriteTimeout: metricsTimeout, IdleTimeout: metricsIdle,
		MaxHeaderBytes: metricsHeader,
	}
}

const (
	metricsTimeout = 10 * time.Second
	metricsIdle    = 2 * time.Minute // Prometheus usually scrapes every minute on one connection
	metricsHeader  = 16 << 10
)

// debugFlag is the address of runtime figures and profiles. They need no key,
// so the address must be a loopback address.
type debugFlag struct {
	DebugListen loopbackAddress `group:"Diagnostics" placeholder:"ADDR" help:"Serve figures and profiles of the Go runtime on this loopback address."`
}

type loopbackAddress string

func (l *loopbackAddress) UnmarshalText(text []byte) error {
	address, err := netip.ParseAddrPort(string(text))
	if err != nil || !address.Addr().IsLoopback() {
		const format = "%q is not a loopback address and port: use for example 127.0.0.1:6060; port 0 picks a free one"
		return fmt.Errorf(format, text)
	}
	*l = loopbackAddress(text)
	return nil
}

// debugHeaderTimeout is the time limit for the header of a request.
const debugHeaderTimeout = 5 * time.Second

// start serves on the address of the flag until stop is called.
func (f debugFlag) start(w io.Writer) (stop func(), err error) {
	if f.DebugListen == "" {
		return func() {}, nil
	}
	listener, err := listenOn("--debug-listen", string(f.DebugListen))
	if err != nil {
		return nil, err
	}
	debug := &http.Server{Handler: debugHandler(), ReadHeaderTimeout: debugHeaderTimeout}
	go func() { _ = debug.Serve(listener) }() // stop ends it
	fmt.Fprintf(w, "Runtime figures and profiles are at http://%s/debug/runtime and /debug/pprof/\n", listener.Addr())
	return func() { _ = debug.Close() }, nil
}

// debugHandler returns the handler of the debug routes. It does not show the
// command line, which may contain a password.
func debugHandler() http.Handler {
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
	return onlyLoopbackHosts(mux)
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(listening net.Addr) bool {
	address, err := netip.ParseAddrPort(listening.String())
	return err == nil && address.Addr().Unmap().IsLoopback()
}

// onlyLoopbackHosts refuses requests for another host. A page of another site
// could have a browser on this machine send them, with a name of its own that
// it makes lead to 127.0.0.1 (DNS rebinding).
func onlyLoopbackHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if !strings.EqualFold(host, "localhost") && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "ask for a loopback address", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// runtimeFigures is the response of /debug/runtime.
type runtimeFigures struct {
	Goroutines uint64 `json:"goroutines"`
	HeapLive   uint64 `json:"heap_live_bytes"` // in use at the last garbage collection
	Memory     uint64 `json:"memory_bytes"`    // all memory that the runtime got from the system
}

func readRuntime() runtimeFigures {
	samples := []runtimemetrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"}}
	runtimemetrics.Read(samples)
	return runtimeFigures{samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()}
}
