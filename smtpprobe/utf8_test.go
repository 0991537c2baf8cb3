package smtpprobe_test

import (
	"fmt"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// utf8Requests are about n mailboxes that need SMTPUTF8.
func utf8Requests(n int) []smtpprobe.Request {
	requests := aboutAll(mailboxes(n, none, "a.example"))
	for i := range requests {
		requests[i].Target, requests[i].SMTPUTF8 = fmt.Sprintf("goodü%d@a.example", i), true
	}
	return requests
}

// TestSMTPUTF8AtSomeMachines is about a host that offers SMTPUTF8 in some of
// its sessions only: it is not missing. The mailboxes are asked about one after
// the other; of sessions side by side two may lack it before another is heard.
func TestSMTPUTF8AtSomeMachines(t *testing.T) {
	for name, without := range map[string]func(session int) bool{
		"every other lacks it":      func(n int) bool { return n%2 == 1 },
		"all but the first lack it": func(n int) bool { return n > 1 },
	} {
		t.Run(name, func(t *testing.T) {
			host := &peer{Say: func(v *visit, c string) string {
				if c == "EHLO probe.example" && !without(v.Number) {
					return "250-mx\n250-PIPELINING\n250 SMTPUTF8"
				}
				return ""
			}}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2}, one(host), func(b *bubble) {
				for i, r := range b.askInTurn(utf8Requests(20)) {
					if f := r.last().Failure; r.err != nil || f != nil && f.Kind == smtp.KindSMTPUTF8 {
						b.Errorf("%d: found %v", i, r)
					}
				}
			})
		})
	}
}

// TestSMTPUTF8IsMissing holds that a host without SMTPUTF8 is asked in two
// sessions, and not twice about each mailbox.
func TestSMTPUTF8IsMissing(t *testing.T) {
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(&peer{}), func(b *bubble) {
		for i, r := range b.askAll(utf8Requests(50)) {
			if f := r.last().Failure; f == nil || f.Kind != smtp.KindSMTPUTF8 {
				b.Errorf("%d: found %v", i, r)
			}
		}
	})
	if len(sessions) > 4 {
		t.Errorf("%d sessions", len(sessions))
	}
}
