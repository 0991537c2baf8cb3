package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Postfix's patience with errors in a session: from the soft limit on, each
// reply takes a second; at the hard limit it hangs up.
const (
	softErrorLimit = 10
	hardErrorLimit = 20
)

// TestPostfix sees how often lists of good and bad mailboxes meet with the
// limits on errors that Postfix has by default: it delays at most one recipient
// in five, as one session finds the first limit and not all, and hangs up on
// none.
func TestPostfix(t *testing.T) {
	for _, tt := range []struct {
		bad      int // of 100
		sessions int // of 600 mailboxes
	}{{0, 12}, {5, 16}, {25, 34}, {60, 60}, {100, 95}} {
		t.Run(fmt.Sprintf("%d%% bad", tt.bad), func(t *testing.T) {
			var slow, hard atomic.Int64
			host := &peer{
				wait: func(v *visit, m string) time.Duration {
					if v.refused >= softErrorLimit {
						slow.Add(1)
						return time.Second
					}
					return 0
				},
				rcpt: func(v *visit, m string) string {
					if v.refused >= hardErrorLimit {
						hard.Add(1)
						return "421 4.7.0 mx Error: too many errors"
					}
					return ""
				},
			}
			list := mailboxes(600, func(i int) bool { return i*37%100 < tt.bad }, "a.example", "b.example")
			found, sessions := crowd(t, smtpprobe.Config{}, host, list)
			checkTruth(t, found)
			if int(slow.Load()) > len(list)/5 || hard.Load() > 0 || len(sessions) > tt.sessions {
				t.Errorf("slowed down %d times, hung up %d times, in %d sessions; want at most %d, 0, %d",
					slow.Load(), hard.Load(), len(sessions), len(list)/5, tt.sessions)
			}
			t.Logf("slow %d, hard %d, %d sessions", slow.Load(), hard.Load(), len(sessions))
		})
	}
}

// TestHonestHostNeedsNoExtraSessions sees that a host that refuses most and
// says so plainly is not doubted.
func TestHonestHostNeedsNoExtraSessions(t *testing.T) {
	const delay = 50 * time.Millisecond // without any, sessions end before one could try to have more refusals
	for name, text := range map[string]string{"with codes": "550 5.1.1 no such user", "without": "550 no such user here", "in one word": "550 rejected"} {
		t.Run(name, func(t *testing.T) {
			host := &smtptest.Host{GreetingDelay: delay, ReplyDelay: delay, RCPTFunc: func(m string, _ int) string {
				if strings.HasPrefix(m, "good") {
					return "250 ok"
				}
				return text
			}}
			list := mailboxes(300, func(i int) bool { return i%10 != 0 }, "a.example")
			_, sessions := crowd(t, smtpprobe.Config{}, host, list)
			if n := count(sessions, "RCPT"); n > 400 || len(sessions) > 30 {
				t.Errorf("%d recipients named in %d sessions", n, len(sessions))
			}
		})
	}
}
