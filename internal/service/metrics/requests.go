package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// refusals are the causes for which the server refuses a valid request.
var refusals = []string{
	"unauthorized", // 401: no key, or a wrong one
	"forbidden",    // 403: the key lacks the scope, or the client's network is not allowed
	"quota",        // 402: the quota of the month is used up
	"rate",         // 429: the key asks too fast
	"concurrency",  // 429: the key has too many requests in progress
	"busy",         // 503: the limit of verifications is reached, or too many wait for the same mail host
	"store",        // 503: the decision needs the store, which cannot be reached
	other,
}

// classes are the status classes of HTTP (RFC 9110 §15), by the first digit;
// the first is for a request without a response.
var classes = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

// requests counts requests over HTTP.
type requests struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	refused  *prometheus.CounterVec

	routes map[string]*route
	causes map[string]prometheus.Counter
}

// route has the counters of a route.
type route struct {
	byClass  [len(classes)]prometheus.Counter
	duration prometheus.Observer
}

func newRequests(routes []string) requests {
	r := requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rcpt_http_requests_total", Help: "HTTP requests, by route and status class.",
		}, []string{"route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "rcpt_http_request_duration_seconds",
			Help:    "Duration of HTTP requests in seconds, by route.",
			Buckets: seconds,
		}, []string{"route"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rcpt_http_refused_total",
			Help: "Valid requests that were refused, by cause: key, limits, quota, load or database.",
		}, []string{"cause"}),
		routes: map[string]*route{}, causes: map[string]prometheus.Counter{},
	}
	r.add(other)
	for _, name := range routes {
		r.add(name)
	}
	for _, cause := range refusals {
		r.causes[cause] = r.refused.WithLabelValues(cause)
	}
	return r
}

func (r *requests) add(name string) {
	counted := &route{duration: r.duration.WithLabelValues(name)}
	for i, class := range classes {
		counted.byClass[i] = r.total.WithLabelValues(name, class)
	}
	r.routes[name] = counted
}

func (r *requests) collectors() []prometheus.Collector {
	return []prometheus.Collector{r.total, r.duration, r.refused}
}

// Request counts a request and its response; status 0 means that there was
// none. The route is one of [Config.Routes].
func (m *Metrics) Request(route string, status int, took time.Duration) {
	counted, ok := m.requests.routes[route]
	if !ok {
		counted = m.requests.routes[other]
	}
	class := status / 100
	if class < 0 || class >= len(classes) {
		class = 0
	}
	counted.byClass[class].Inc()
	counted.duration.Observe(took.Seconds())
}

// Refused counts a request that was refused, by cause.
func (m *Metrics) Refused(why string) {
	counter, ok := m.requests.causes[why]
	if !ok {
		counter = m.requests.causes[other]
	}
	counter.Inc()
}
