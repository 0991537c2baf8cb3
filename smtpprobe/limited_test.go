package smtpprobe_test

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestHostThatHasHadEnough is about hosts that answer every question with a
// limit of their own once they have refused a few mailboxes, and hang up or do
// not, such as IronPort with "Too many invalid recipients". They are left alone
// for an hour, and nobody waits for that.
func TestHostThatHasHadEnough(t *testing.T) {
	for _, tt := range []struct {
		says  string
		hangs bool
	}{
		{"550 5.7.1 Too many invalid recipients", true},
		{"550 Too many invalid recipients", false},
		{"452 Too many invalid recipients received from the sender", true},
		{"421 4.7.1 Too many invalid recipients", true},
	} {
		t.Run(tt.says, func(t *testing.T) {
			refused, until := 0, time.Time{}
			host := &peer{RCPTFunc: func(v *visit, m string) string {
				if time.Now().Before(until) {
					return tt.says
				}
				if refused++; refused == 4 {
					until, refused = time.Now().Add(time.Hour), 0
				}
				return ""
			}, Say: func(v *visit, c, _ string) string {
				if !isRCPT(c) && tt.hangs && time.Now().Before(until) && v.Here > 0 {
					return closes
				}
				return ""
			}}
			list := mailboxes(20, all, "a.example")
			sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				start := time.Now()
				later := 0
				for _, r := range b.askInTurn(aboutAll(list)) {
					if f := r.last().Failure; f != nil && f.Kind == smtp.KindLimited && f.RetryAfter > 55*time.Minute {
						later++
					}
				}
				if took := time.Since(start); later < 12 || took > time.Minute {
					b.Errorf("%d were told to come in an hour, %v", later, took)
				}
				time.Sleep(time.Hour)
				b.checkAnswered([]told{b.ask(b.Context(), about("good1@a.example"))}, 250)
			})
			if len(sessions) > 12 {
				t.Errorf("%d sessions", len(sessions))
			}
		})
	}
}
