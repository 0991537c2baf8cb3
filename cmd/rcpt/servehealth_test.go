package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
)

func blockedBy(provider, host string, at time.Time) engine.Result {
	return engine.Result{Details: &engine.Details{
		Reason: engine.Blocked, Provider: provider, CheckedAt: at,
		SMTP: &engine.SMTPAnswer{Host: host, Code: 550, Enhanced: "5.7.1", Text: "mail for alice@acme.example refused"},
	}}
}

// TestWatcher: blocks are counted by provider, or else by host, the latest first, without the words of the host; remembered answers and other
// refusals are none. DNS servers are known by their last answer. What strangers can make long is bounded.
func TestWatcher(t *testing.T) {
	w := newWatcher()
	told := 0
	hooks := w.hooks(engine.Hooks{Verified: func(engine.Result) { told++ }, Resolved: func(dnsresolve.Findings, time.Duration) { told++ }})
	at := time.Unix(1_000_000, 0)
	hooks.Verified(blockedBy("google", "mx1.google.example", at))
	hooks.Verified(blockedBy("google", "mx2.google.example", at.Add(2*time.Second)))
	hooks.Verified(blockedBy("", "mx.acme.example", at.Add(time.Second)))
	cached := blockedBy("yahoo", "mx.yahoo.example", at)
	cached.Details.Cached = true
	hooks.Verified(cached)
	other := blockedBy("yahoo", "mx.yahoo.example", at)
	other.Details.Reason = engine.MailboxNotFound
	hooks.Verified(other)
	hooks.Verified(engine.Result{})
	hooks.Resolved(dnsresolve.Findings{Lookups: []dnsresolve.Lookup{
		{Server: "192.0.2.53:53", Status: dnsresolve.StatusServFail}, {Server: "192.0.2.54:53", Status: dnsresolve.StatusOK},
		{Server: "192.0.2.55:53", Status: dnsresolve.StatusOK, Cached: true}, {Status: dnsresolve.StatusTimeout},
	}}, 0)
	w.refused("busy")
	w.refused("rate")

	blocks, resolvers, shed := w.seen()
	want := []blockSeen{{"google", 2, at.Add(2 * time.Second), "550 5.7.1"}, {"mx.acme.example", 1, at.Add(time.Second), "550 5.7.1"}}
	if fmt.Sprint(blocks) != fmt.Sprint(want) {
		t.Errorf("blocks %v, want %v", blocks, want)
	}
	if len(resolvers) != 2 || resolvers[0].fault == "" || resolvers[1].fault != "" || resolvers[1].lastAnswer.IsZero() {
		t.Errorf("resolvers %v", resolvers)
	}
	if shed != 1 || told != 7 {
		t.Errorf("shed %d, other hooks told %d times", shed, told)
	}
	for i := range 3 * mostSeen {
		hooks.Verified(blockedBy("", fmt.Sprintf("mx%d.example", i), at.Add(time.Duration(i)*time.Minute)))
		hooks.Resolved(dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Server: fmt.Sprint(i), Status: dnsresolve.StatusOK}}}, 0)
	}
	blocks, resolvers, _ = w.seen()
	if len(blocks) != mostSeen || len(resolvers) != mostSeen || blocks[0].provider != fmt.Sprintf("mx%d.example", 3*mostSeen-1) {
		t.Errorf("%d blocks, %d resolvers, the first %v", len(blocks), len(resolvers), blocks[0])
	}
}
