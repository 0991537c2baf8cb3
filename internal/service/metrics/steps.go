package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
)

// The outcomes of an SMTP session beside the ways in which one fails.
const (
	sessionAnswered = "answered" // the mail host replied to RCPT, whatever the reply
	sessionRejected = "rejected" // it refused us, or the sender, before
)

// steps counts what the engine asks others.
type steps struct {
	dns, smtp prometheus.Observer
	duration  *prometheus.HistogramVec
	lookups   *prometheus.CounterVec
	sessions  *prometheus.CounterVec
}

func newSteps() steps {
	s := steps{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "rcpt_phase_duration_seconds", Help: "Duration of the steps of a verification in seconds: finding the mail hosts (dns) and probing them (smtp).",
			Buckets: seconds,
		}, []string{"phase"}),
		lookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rcpt_dns_lookups_total",
			Help: "DNS lookups of mail hosts, by type, status, and whether the answer was cached.",
		}, []string{"type", "status", "cached"}),
		sessions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "rcpt_smtp_sessions_total",
			Help: "SMTP sessions by outcome. A session that several verifications share is counted for each of them.",
		}, []string{"outcome"}),
	}
	s.dns, s.smtp = s.duration.WithLabelValues("dns"), s.duration.WithLabelValues("smtp")
	return s
}

func (s *steps) collectors() []prometheus.Collector {
	return []prometheus.Collector{s.duration, s.lookups, s.sessions}
}

// Hooks are for the engine whose steps are to be counted. The hook for verdicts
// is nil: see [Metrics.Verified].
func (m *Metrics) Hooks() engine.Hooks {
	return engine.Hooks{Resolved: m.steps.resolved, LookedUp: m.steps.lookedUp, Probed: m.steps.probed}
}

func (s *steps) resolved(ctx context.Context, f dnsresolve.Findings, took time.Duration) {
	s.dns.Observe(took.Seconds())
	for _, l := range f.Lookups {
		s.lookedUp(ctx, l)
	}
}

func (s *steps) lookedUp(_ context.Context, l dnsresolve.Lookup) {
	s.lookups.WithLabelValues(dnsTypes.word(l.Type), dnsStatuses.word(string(l.Status)), truth(l.Cached)).Inc()
}

func (s *steps) probed(_ context.Context, f smtpprobe.Findings, took time.Duration) {
	s.smtp.Observe(took.Seconds())
	for i := range f.Sessions {
		s.sessions.WithLabelValues(outcome(&f.Sessions[i])).Inc()
	}
}

func outcome(s *smtpprobe.Session) string {
	switch {
	case s.Target != nil:
		return sessionAnswered
	case s.Failure != nil:
		return failures.word(string(s.Failure.Kind))
	}
	return sessionRejected
}
