package metrics

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rcpt/rcpt/engine"
)

// Config says what to watch. The funcs are called once for each scrape, and
// must be quick and safe for concurrent use. If one is nil, its metrics do not
// exist.
type Config struct {
	// Version is that of the program. Default: "unknown".
	Version string
	// Routes are the routes of the server, as it names them in
	// [Metrics.Request]. Requests for others are counted as "other".
	Routes []string
	// Engine is what the verifier is busy with.
	Engine func() engine.Stats
	// Admission is how many verifications run and may run.
	Admission func() Admission
	// Cache is what the remembered verdicts are good for.
	Cache func() Cache
	// Rechecks are the greylisted addresses that are asked about again.
	Rechecks func() Rechecks
	// Store is how the durable state fares.
	Store func() Store
	// Keys are the API keys.
	Keys func() Keys
	// Log receives failures of scrapes. Nil is silent.
	Log *slog.Logger
}

// Metrics counts. It is safe for concurrent use.
type Metrics struct {
	registry      *prometheus.Registry
	log           *slog.Logger
	verifications verifications
	steps         steps
	requests      requests
}

// maxScrapes is the number of concurrent scrapes: a pair of Prometheus servers,
// and a person.
const maxScrapes = 4

// New returns a Metrics.
func New(config Config) (*Metrics, error) {
	if config.Version == "" {
		config.Version = "unknown"
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(), log: config.Log,
		verifications: newVerifications(), steps: newSteps(), requests: newRequests(config.Routes),
	}
	watched := []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(config.Version),
	}
	watched = append(watched, m.verifications.collectors()...)
	watched = append(watched, m.steps.collectors()...)
	watched = append(watched, m.requests.collectors()...)
	watched = append(watched, config.sources()...)
	var failed error
	for _, collector := range watched {
		failed = errors.Join(failed, m.registry.Register(collector))
	}
	if failed != nil {
		return nil, fmt.Errorf("metrics: %w", failed)
	}
	return m, nil
}

// Handler serves the metrics. It requires no key: let it listen where only your
// monitoring can reach it.
func (m *Metrics) Handler() http.Handler {
	shown := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(m.log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError, // one source that fails does not hide the others
		MaxRequestsInFlight: maxScrapes,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
			return
		}
		shown.ServeHTTP(w, r)
	})
}

// build is a constant whose labels say which version runs.
func build(version string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "rcpt_build_info", Help: "Always 1; the labels have the version of rcpt and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	info.Set(1)
	return info
}
