package smtpprobe_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// controlled is a host that answers controls as a test wants, and mailboxes as
// usual.
func controlled(answer string) *peer {
	return &peer{RCPT: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "good") || strings.HasPrefix(m, "bad") {
			return ""
		}
		return answer
	}}
}

// controls counts the recipients that are neither good nor bad.
func controls(host *peer) (n int) {
	for _, m := range host.Asked() {
		if !strings.HasPrefix(m, "good") && !strings.HasPrefix(m, "bad") {
			n++
		}
	}
	return n
}

// TestControlOfALongList sees that a list asks about a random mailbox once in
// each transaction, whatever the number of its domains.
func TestControlOfALongList(t *testing.T) {
	for _, domains := range [][]string{{"a.example"}, {"a.example", "b.example", "A.Example"}} {
		host := controlled("550 5.1.1 no such user")
		list := mailboxes(1000, every(10), domains...)
		answers, _ := crowd(t, smtpprobe.Config{}, host, list)
		checkTruth(t, list, answers)
		if n := controls(host); n > 80 { // one for each transaction
			t.Errorf("%v: %d controls were named", domains, n)
		}
	}
}

// TestControlsDoNotMix sees that domains and hosts are told apart: a backup may
// take everything, and so may another domain.
func TestControlsDoNotMix(t *testing.T) {
	host := &peer{RCPT: func(_ *visit, m string) string {
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
		req := about("good1@a.example")
		req.Control = ""
		if r := b.ask(b.Context(), req); r.last().Control != nil || len(host.Asked()) != 1 {
			b.Errorf("found %s; asked about %q", summaries(r.found), host.Asked())
		}
		_ = b.ask(b.Context(), about("good2@a.example"))
		if r := b.ask(b.Context(), req); r.last().Control != nil || r.last().ControlShared {
			b.Errorf("found %s", summaries(r.found))
		}
		requests := append(aboutAll(mailboxes(5, none, "b.example")), req, req, req)
		for i, r := range b.askAll(requests) {
			if (r.last().Control != nil) != (requests[i].Control != "") {
				b.Errorf("found %s, control %q", summaries(r.found), requests[i].Control)
			}
		}
	})
}
