package main

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func blockedBy(provider, host string, at time.Time) engine.Result {
	return engine.Result{Details: &engine.Details{
		Reason: engine.Blocked, Provider: provider, CheckedAt: at,
		SMTP: &engine.SMTPAnswer{Host: host, Code: 550, Enhanced: "5.7.1", Text: "mail for alice@acme.example refused"},
	}}
}

// TestWatcher: blocks are counted by provider, or else by host, the latest first, without the words of the host; remembered answers and other
// refusals are none. DNS servers are known by their last answer; that a domain is broken is not their fault. What strangers can make long is bounded.
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
		{Server: "192.0.2.53:53", Status: dnsresolve.StatusTimeout}, {Server: "192.0.2.54:53", Status: dnsresolve.StatusServFail},
		{Server: "192.0.2.55:53", Status: dnsresolve.StatusOK, Cached: true}, {Status: dnsresolve.StatusTimeout},
	}}, 0)
	w.refused("busy")
	w.refused("rate")

	blocks, resolvers, shed := w.seen()
	want := []blockSeen{{"google", 2, at.Add(2 * time.Second), "550 5.7.1"}, {"mx.acme.example", 1, at.Add(time.Second), "550 5.7.1"}}
	if fmt.Sprint(blocks) != fmt.Sprint(want) {
		t.Errorf("blocks %v, want %v", blocks, want)
	}
	if len(resolvers) != 2 || resolvers[0].fault == "" || !resolvers[0].lastAnswer.IsZero() || resolvers[1].fault != "" || resolvers[1].lastAnswer.IsZero() {
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

// TestWatchedWays: a way out works when a mail host has spoken through it. One dead host says nothing, however often it is told of; many in a row do.
func TestWatchedWays(t *testing.T) {
	w := newWatcher()
	hooks := w.hooks(engine.Hooks{})
	session := func(way string, host byte, kind smtp.Kind) {
		s := smtpprobe.Session{Egress: way, Addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, host}), 25)}
		if kind == "" {
			s.Greeting = &smtp.Reply{Code: 220}
		} else {
			s.Failure = &smtp.Failure{Phase: smtp.PhaseConnect, Kind: kind}
		}
		hooks.Probed(smtpprobe.Findings{Sessions: []smtpprobe.Session{s}}, 0)
	}
	wants := func(what, way string, replied bool, fault string) {
		t.Helper()
		last, got := w.way(way)
		if last.IsZero() == replied || !strings.Contains(got, fault) || (fault == "") != (got == "") {
			t.Errorf("%s: last reply %v, fault %q", what, last, got)
		}
	}
	wants("not tried", "", false, "")
	for range 2 * manySilent {
		session("", 1, smtp.KindTimeout)
	}
	wants("one dead host", "", false, "")
	for i := range manySilent {
		session("", byte(i), smtp.KindUnreachable)
	}
	wants("many in a row", "", false, "port 25")
	session("", 99, "")
	wants("one that replies", "", true, "")
	session("socks5://192.0.2.7:1080", 1, smtp.KindEgress)
	wants("a broken proxy", "socks5://192.0.2.7:1080", false, "proxy")
	wants("the other way", "", true, "")
}
