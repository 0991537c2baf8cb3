package metrics

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
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
	// Pacing is how each provider is asked.
	Pacing func() []smtpprobe.ProviderPace
	// Egresses is the state of each egress.
	Egresses func() []smtpprobe.Egress
	// Admission is how many verifications run and may run.
	Admission func() Admission
	// Cache is what the remembered verdicts are good for.
	Cache func() Cache
	// Rechecks are the greylisted addresses that are asked about again.
	Rechecks func() Rechecks
	// Store is how the durable state fares.
	Store func() Store
	// Doctor is how the last examination of the network ended.
	Doctor func() Doctor
	// Keys are the API keys.
	Keys func() Keys
	// Log receives failures of scrapes. Nil is silent.
	Log *slog.Logger
}

// Metrics counts. It is safe for concurrent use. It is a
// [prometheus.Collector], so that a program can have the metrics in a registry
// of its own; [Metrics.Handler] serves them with those of the Go runtime and of
// the process.
type Metrics struct {
	registry      *prometheus.Registry
	watched       []prometheus.Collector
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
	m.watched = slices.Concat([]prometheus.Collector{build(config.Version)}, m.verifications.collectors(),
		m.steps.collectors(), m.requests.collectors(), config.sources())
	err := errors.Join(
		m.registry.Register(collectors.NewGoCollector()),
		m.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
		m.registry.Register(m),
	)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return m, nil
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, collector := range m.watched {
		collector.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, collector := range m.watched {
		collector.Collect(to)
	}
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
