package smtpprobe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// controlled is a host that answers controls as a test wants, and mailboxes as
// usual.
func controlled(answer string) *peer {
	return &peer{RCPTFunc: func(_ *visit, m string) string {
		if isControl(m) {
			return answer
		}
		return ""
	}}
}

func isControl(mailbox string) bool {
	return strings.HasPrefix(mailbox, "random-") || strings.HasPrefix(mailbox, "postmaster@")
}

func controls(host *peer) int { // how many were named
	return len(slices.DeleteFunc(host.Recipients(), func(m string) bool { return !isControl(m) }))
}

// TestControlsDoNotMix sees that domains and hosts are told apart: a backup may
// take everything, and so may another domain.
func TestControlsDoNotMix(t *testing.T) {
	host := &peer{RCPTFunc: func(_ *visit, m string) string {
		if strings.HasSuffix(m, "@all.example") {
			return "250 ok"
		}
		return ""
	}}
	backup := controlled("250 ok")
	hosts := map[string]smtptest.Handler{"192.0.2.1": host, "192.0.2.2": backup}
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		for _, tt := range []struct {
			addr, domain string
			want         int
		}{
			{"192.0.2.1", "some.example", 550}, {"192.0.2.1", "all.example", 250}, {"192.0.2.2", "some.example", 250},
			{"192.0.2.1", "some.example", 550}, {"192.0.2.1", "ALL.example", 250}, {"192.0.2.2", "some.example", 250},
		} {
			last := b.ask(b.Context(), about("good@"+tt.domain, tt.addr)).last()
			if last.Control == nil || last.Control.Code != tt.want && !strings.HasPrefix(tt.domain, "ALL") {
				b.Errorf("%s at %s: %s", tt.domain, tt.addr, summary(last))
			}
		}
	})
	if n := controls(host) + controls(backup); n != 4 { // the catch-all ones are known
		t.Errorf("%d controls were named, want 4", n)
	}
}

// TestNoControlIsNone checks that a request without a control is not told
// about one.
func TestNoControlIsNone(t *testing.T) {
	host := &peer{}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		req, known := about("good1@a.example"), about("good2@a.example")
		req.Control = ""
		answers := b.askInTurn([]smtpprobe.Request{req, known, req})
		if n := controls(host); n != 1 {
			b.Errorf("%d controls were named", n)
		}
		requests := append(aboutAll(mailboxes(5, none, "b.example")), req, req, req)
		for i, r := range append(b.askAll(requests), answers[0], answers[2]) {
			if (r.last().Control != nil) != (i < 5) || i >= 5 && r.last().ControlShared {
				b.Errorf("%d: found %v", i, r)
			}
		}
		mixed := aboutAll(mailboxes(5, none, "c.example")) // in company with one of its domain
		mixed[2].Control = ""
		for i, r := range b.askTogether(b.Context(), mixed) {
			if (r.last().Control != nil) != (i != 2) {
				b.Errorf("%d of one domain: found %v", i, r)
			}
		}
	})
}

// TestControlShared sees that findings say of a control that it is an earlier
// one. A control that is named once more, as a canary, is its own.
func TestControlShared(t *testing.T) {
	for answer, shared := range map[string]bool{"250 ok": true, "550 5.1.1 no such user": false} {
		inBubble(t, smtpprobe.Config{}, one(controlled(answer)), func(b *bubble) {
			for i, r := range b.askInTurn(aboutAll(mailboxes(3, none, "a.example"))) {
				if last := r.last(); last.Control == nil || last.ControlShared != (shared && i > 0) {
					b.Errorf("%s, %d: control %v, shared: %v", answer, i, last.Control, last.ControlShared)
				}
			}
		})
	}
}
