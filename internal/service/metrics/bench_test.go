package metrics

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// BenchmarkCached is all that is counted of a request that a remembered verdict
// answers.
func BenchmarkCached(b *testing.B) {
	m := newMetrics(b)
	result := answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, true)
	b.ReportAllocs()
	for b.Loop() {
		m.Verified(result, 30*time.Microsecond)
		m.Request("/api/v1/verify", 200, 40*time.Microsecond)
	}
}

func BenchmarkVerified(b *testing.B) {
	m := newMetrics(b)
	result := answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, true)
	b.ReportAllocs()
	for b.Loop() {
		m.Verified(result, 30*time.Microsecond)
	}
}

// BenchmarkSteps is what is counted beside it of an address that a mail host is
// asked about.
func BenchmarkSteps(b *testing.B) {
	hooks := newMetrics(b).Hooks()
	found := dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Type: "MX", Status: "ok"}, {Type: "A", Status: "ok"}, {Type: "AAAA", Status: "nodata"}}}
	said := smtpprobe.Findings{Sessions: []smtpprobe.Session{{Target: &smtp.Reply{Code: 250}}}}
	b.ReportAllocs()
	for b.Loop() {
		hooks.Resolved(b.Context(), found, 20*time.Millisecond)
		hooks.Probed(b.Context(), said, 600*time.Millisecond)
	}
}

func BenchmarkScrape(b *testing.B) {
	m := newMetrics(b)
	for b.Loop() {
		scraped(b, m)
	}
}

// TestCountingAllocatesNothing: a remembered answer is to cost what the look-up
// costs.
func TestCountingAllocatesNothing(t *testing.T) {
	m := newMetrics(t)
	result := answer(rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, true)
	if got := testing.AllocsPerRun(1000, func() {
		m.Verified(result, 30*time.Microsecond)
		m.Request("/api/v1/verify", 200, 40*time.Microsecond)
		m.Refused("rate")
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
