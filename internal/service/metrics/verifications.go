package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rcpt/rcpt"
)

// seconds are the bounds of the buckets of durations: from a remembered answer
// (below a millisecond) to the longest wait for a session with a busy host.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// verifications counts answers and how long they took.
type verifications struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	// usual has the counters of each reason with its usual verdict, so that
	// counting an answer needs no look-up of labels.
	usual map[rcpt.Reason]usualAnswer
	took  byCached[prometheus.Observer]
}

type usualAnswer struct {
	verdict rcpt.Verdict
	total   byCached[prometheus.Counter]
}

// byCached has one value for answers that were verified and one for those that
// were remembered.
type byCached[T any] struct{ asked, remembered T }

func (b *byCached[T]) of(cached bool) T {
	if cached {
		return b.remembered
	}
	return b.asked
}

func newVerifications() verifications {
	v := verifications{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rcpt_verifications_total",
			Help: "Answered verifications, by result, reason, and whether the result was remembered.",
		}, []string{"result", "reason", "cached"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "rcpt_verification_duration_seconds",
			Help:    "Duration of verifications in seconds, by whether the result was remembered.",
			Buckets: seconds,
		}, []string{"cached"}),
		usual: map[rcpt.Reason]usualAnswer{},
	}
	for _, reason := range rcpt.Reasons() {
		verdict := reason.Verdict()
		v.usual[reason] = usualAnswer{
			verdict,
			byCached[prometheus.Counter]{v.counter(verdict, reason, false), v.counter(verdict, reason, true)},
		}
	}
	v.took = byCached[prometheus.Observer]{
		v.duration.WithLabelValues(truth(false)), v.duration.WithLabelValues(truth(true)),
	}
	return v
}

func (v *verifications) counter(verdict rcpt.Verdict, reason rcpt.Reason, cached bool) prometheus.Counter {
	return v.total.WithLabelValues(verdicts.word(string(verdict)), reasons.word(string(reason)), truth(cached))
}

func (v *verifications) collectors() []prometheus.Collector {
	return []prometheus.Collector{v.total, v.duration}
}

// Verified counts a verification that was answered with r, details included,
// after the given time. It is for the code that answers, and not for the
// engine's hook: the engine does not see remembered results, and also verifies
// without a request.
func (m *Metrics) Verified(r rcpt.Result, took time.Duration) {
	reason, cached := r.Reason, r.Details != nil && r.Details.Cached
	v := &m.verifications
	v.took.of(cached).Observe(took.Seconds())
	if usual, ok := v.usual[reason]; ok && usual.verdict == r.Verdict {
		usual.total.of(cached).Inc()
		return
	}
	v.counter(r.Verdict, reason, cached).Inc()
}
