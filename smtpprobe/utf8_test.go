package smtpprobe_test

import (
	"fmt"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestSMTPUTF8AtSomeMachines is about a host that offers SMTPUTF8 in some of
// its sessions only: it is not missing. The mailboxes are asked about one after
// the other; of sessions side by side two may lack it before another is heard.
func TestSMTPUTF8AtSomeMachines(t *testing.T) {
	for _, tt := range []struct {
		name    string
		without func(session int) bool
	}{
		{"every other lacks it", func(n int) bool { return n%2 == 1 }},
		{"all but the first lack it", func(n int) bool { return n > 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &peer{Say: func(v *visit, c string) string {
				if c == "EHLO probe.example" && !tt.without(v.Number) {
					return "250-mx\n250-PIPELINING\n250 SMTPUTF8"
				}
				return ""
			}}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2}, one(host), func(b *bubble) {
				var requests []smtpprobe.Request
				for i := range 20 {
					req := about(fmt.Sprintf("goodü%d@a.example", i))
					req.SMTPUTF8 = true
					requests = append(requests, req)
				}
				for i, r := range b.askInTurn(requests) {
					if f := r.last().Failure; r.err != nil || f != nil && f.Kind == smtp.KindSMTPUTF8 {
						b.Errorf("%s: found %v", requests[i].Target, r)
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
		var requests []smtpprobe.Request
		for i := range 50 {
			req := about(fmt.Sprintf("goodü%d@a.example", i))
			req.SMTPUTF8 = true
			requests = append(requests, req)
		}
		for i, r := range b.askAll(requests) {
			if f := r.last().Failure; f == nil || f.Kind != smtp.KindSMTPUTF8 {
				b.Errorf("%s: found %v", requests[i].Target, r)
			}
		}
	})
	if len(sessions) > 4 {
		t.Errorf("%d sessions", len(sessions))
	}
}
