package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/metrics"
	"github.com/rcpt/rcpt/internal/sys/listen"
	"github.com/rcpt/rcpt/smtpprobe"
)

// figures are the metrics of a service.
type figures struct {
	metrics *metrics.Metrics
	waiting atomic.Int64 // greylisted addresses at the last count
}

// newFigures creates the metrics. The other parts of the service may be created
// later.
func (r *running) newFigures() (*figures, error) {
	config := metrics.Config{
		Version: r.Version, Routes: api.Routes(), Log: r.logger,
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

func (s *state) keyFigures() metrics.Keys {
	now := time.Now()
	usable := 0
	for _, key := range s.keys.List() {
		if key.Usable(now) {
			usable++
		}
	}
	return metrics.Keys{Usable: usable, Age: s.keys.Stale()}
}

// serveMetrics serves metrics and health until stop is called. It does nothing
// without an address.
func (r *running) serveMetrics() (stop func(), err error) {
	if r.MetricsListen == "" {
		return func() {}, nil
	}
	listener, err := listen.On("--metrics-listen", r.MetricsListen)
	if err != nil {
		return nil, err
	}
	site := metricsServer(r.figures.metrics.Handler(), r.healthHandler())
	if listen.IsLoopback(listener.Addr()) {
		site.Handler = listen.OnlyLoopbackHosts(site.Handler)
	}
	ended := make(chan error, 1)
	go func() { ended <- site.Serve(listener) }()
	fmt.Fprintf(r.Out, "Metrics are at http://%s/metrics\n", listen.Reachable(listener.Addr()))
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
