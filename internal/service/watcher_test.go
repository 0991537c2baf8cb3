package service

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
)

func blockedBy(provider, host string, at time.Time) rcpt.Result {
	return rcpt.Result{Reason: rcpt.ReasonBlocked, CheckedAt: at, Details: &rcpt.Details{Provider: provider, SMTP: &rcpt.SMTPAnswer{Host: host, Code: 550, Enhanced: "5.7.1", Text: "mail for alice@acme.example refused"}}}
}

// TestWatcher: blocks are counted by provider, or else by host, the latest
// first, without the text of the reply; cached results and other refusals do
// not count. DNS servers have their last answer; a broken domain is not their
// fault, and a query that no server answered is the fault of all. The number of
// entries is bounded.
func TestWatcher(t *testing.T) {
	w := newWatcher()
	calls := 0
	hooks := w.hooks(engine.Hooks{Verified: func(context.Context, rcpt.Result, error) { calls++ }, Resolved: func(context.Context, dnsresolve.Findings, time.Duration) { calls++ }})
	at := time.Unix(1_000_000, 0)
	hooks.Verified(t.Context(), blockedBy("google", "mx1.google.example", at), nil)
	hooks.Verified(t.Context(), blockedBy("google", "mx2.google.example", at.Add(2*time.Second)), nil)
	hooks.Verified(t.Context(), blockedBy("", "mx.acme.example", at.Add(time.Second)), nil)
	cached := blockedBy("yahoo", "mx.yahoo.example", at)
	cached.Details.Cached = true
	hooks.Verified(t.Context(), cached, nil)
	other := blockedBy("yahoo", "mx.yahoo.example", at)
	other.Reason = rcpt.ReasonMailboxNotFound
	hooks.Verified(t.Context(), other, nil)
	hooks.Verified(t.Context(), rcpt.Result{}, nil)
	hooks.Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{
		{Server: "192.0.2.53:53", Status: dnsresolve.StatusTimeout}, {Server: "192.0.2.54:53", Status: dnsresolve.StatusServFail},
		{Server: "192.0.2.55:53", Status: dnsresolve.StatusOK, Cached: true},
	}}, 0)
	w.refused("busy")
	w.refused("rate")

	blocks, resolvers, shed := w.seen()
	want := []blockSeen{
		{provider: "google", count: 2, last: at.Add(2 * time.Second), reply: "550 5.7.1"},
		{provider: "mx.acme.example", count: 1, last: at.Add(time.Second), reply: "550 5.7.1"},
	}
	if fmt.Sprint(blocks) != fmt.Sprint(want) {
		t.Errorf("blocks %v, want %v", blocks, want)
	}
	if len(resolvers) != 2 || resolvers[0].fault == "" || !resolvers[0].lastAnswer.IsZero() || resolvers[1].fault != "" || resolvers[1].lastAnswer.IsZero() {
		t.Errorf("resolvers %v", resolvers)
	}
	hooks.Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Status: dnsresolve.StatusTimeout}}}, 0)
	if _, resolvers, _ = w.seen(); resolvers[1].fault == "" || resolvers[1].lastAnswer.IsZero() {
		t.Errorf("resolvers %v after a query that no server answered", resolvers)
	}
	if shed != 1 || calls != 8 {
		t.Errorf("shed %d, other hooks called %d times", shed, calls)
	}
	for i := range 3 * maxSeen {
		hooks.Verified(t.Context(), blockedBy("", fmt.Sprintf("mx%d.example", i), at.Add(time.Duration(i)*time.Minute)), nil)
		hooks.Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Server: fmt.Sprint(i), Status: dnsresolve.StatusOK}}}, 0)
	}
	blocks, resolvers, _ = w.seen()
	if len(blocks) != maxSeen || len(resolvers) != maxSeen || blocks[0].provider != fmt.Sprintf("mx%d.example", 3*maxSeen-1) {
		t.Errorf("%d blocks, %d resolvers, the first %v", len(blocks), len(resolvers), blocks[0])
	}
}

// TestNamedResolvers: a server without queries is listed, and has no fault
// until no server answers.
func TestNamedResolvers(t *testing.T) {
	w := newWatcher()
	w.addResolvers([]string{"192.0.2.53:53"})
	if _, resolvers, _ := w.seen(); len(resolvers) != 1 || resolvers[0].fault != "" || !resolvers[0].lastAnswer.IsZero() {
		t.Errorf("resolvers %v", resolvers)
	}
	w.resolved(dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Status: dnsresolve.StatusError}}})
	if _, resolvers, _ := w.seen(); resolvers[0].fault == "" {
		t.Errorf("resolvers %v", resolvers)
	}
}

// TestHour: the number of verifications of the last sixty minutes, and the
// reason of the unknown ones.
func TestHour(t *testing.T) {
	var h hour
	start := time.Unix(1_000_000_020, 0)
	for i := range 30 {
		h.add(start.Add(time.Duration(i)*time.Minute), rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted)
		h.add(start.Add(time.Duration(i)*time.Minute), rcpt.VerdictUnknown, rcpt.ReasonGreylisted)
	}
	for range 50 {
		h.add(start.Add(30*time.Minute), rcpt.VerdictUnknown, rcpt.ReasonPortBlocked)
	}
	for _, c := range []struct {
		after            time.Duration
		checked, unknown int64
		mostly           rcpt.Reason
	}{
		{30 * time.Minute, 110, 80, rcpt.ReasonPortBlocked}, {69 * time.Minute, 90, 70, rcpt.ReasonPortBlocked}, {90 * time.Minute, 0, 0, ""}, {48 * time.Hour, 0, 0, ""},
	} {
		if checked, unknown, mostly := h.sum(start.Add(c.after)); checked != c.checked || unknown != c.unknown || mostly != c.mostly {
			t.Errorf("after %v: %d, %d, %s", c.after, checked, unknown, mostly)
		}
	}
	h.add(start.Add(60*time.Minute), rcpt.VerdictDeliverable, rcpt.ReasonCatchAll) // takes the place of the first minute
	if checked, _, _ := h.sum(start.Add(60 * time.Minute)); checked != 109 {
		t.Errorf("%d checked", checked)
	}
}
