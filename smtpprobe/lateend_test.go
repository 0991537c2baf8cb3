package smtpprobe_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// lateEnds are the ways of hosts to give up.
var lateEnds = []string{closes, "421 4.4.2 timeout exceeded"}

// silenceOfHosts is long enough for a host to have waited for a command itself.
const silenceOfHosts = 3500 * time.Millisecond

// TestSlowHostLeavesOutTheTarget is about a host that takes its time, leaves out the reply about the target, and waits for a command when that about
// the control is due. It gives up sooner than we do: such an end is a silence, too, and what was heard may be the answer about the control.
func TestSlowHostLeavesOutTheTarget(t *testing.T) {
	for _, end := range lateEnds {
		for _, m := range []string{"good@a.example", "bad@a.example"} {
			t.Run(end+" "+m, func(t *testing.T) {
				host := leavesOut(func(v *visit, c string) (bool, bool) {
					return c == "RCPT" && v.number == 1 && v.named == 0, false
				})
				host.wait = func(*visit, string) time.Duration { return 2 * time.Second }
				goodbye := strings.TrimPrefix(end+"\r\n", closes+"\r\n")
				impatient := smtptest.HandlerFunc(func(c net.Conn) { host.ServeSMTP(impatientConn{c, silenceOfHosts, goodbye}) })
				inBubble(t, smtpprobe.Config{}, one(impatient), func(b *bubble) {
					r := b.ask(b.Context(), about(m))
					if last := r.last(); last.Target == nil || fmt.Sprint(last.Target.Code) != usual(m)[:3] {
						b.Errorf("found %s (%v)\n%s", summaries(r.found), r.err, transcript(last))
					}
				})
			})
		}
	}
}

// TestReplyIsLeftOutBeforeALateEnd is about a host that leaves out a reply in a transaction, and gives up a mailbox over which it has taken long.
func TestReplyIsLeftOutBeforeALateEnd(t *testing.T) {
	for _, end := range lateEnds {
		for place := range 3 {
			t.Run(fmt.Sprint(end, " ", place), func(t *testing.T) {
				host := leavesOut(func(v *visit, c string) (bool, bool) {
					return c == "RCPT" && v.number == 1 && v.named == place, false
				})
				usually := host.rcpt
				host.rcpt = func(v *visit, m string) string {
					if v.number > 1 || v.named < 6 {
						return usually(v, m)
					}
					time.Sleep(silenceOfHosts)
					return end
				}
				found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, company()[:20])
				for m, f := range found {
					if last := (told{found: f}).last(); last.Target != nil && last.Target.Code == 550 && strings.HasPrefix(m, "good") {
						t.Errorf("%s: %s", m, summaries(f))
					}
				}
			})
		}
	}
}

// TestSilenceBehindNames is about a host that falls silent once, over the seventh recipient of a transaction. A reply that names its recipient shows
// that none was left out before it: nobody up to there is asked about again.
func TestSilenceBehindNames(t *testing.T) {
	for _, tt := range []struct {
		name  string
		named func(place int) bool
		again int
	}{
		{"all", func(int) bool { return true }, 1},
		{"the fourth", func(place int) bool { return place == 3 }, 3},
		{"nobody", func(int) bool { return false }, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			silent := once(func() string { return hangs })
			host := &peer{rcpt: func(v *visit, m string) string {
				switch {
				case v.here == 6:
					if text := silent(); text != "" {
						return text
					}
				case tt.named(v.here):
					return "550 5.1.1 <" + m + ">: no such user"
				}
				return "550 5.1.1 no such user"
			}, greet: func(*visit) string {
				time.Sleep(time.Millisecond) // until all ask
				return "220 mx"
			}}
			list := mailboxes(20, func(int) bool { return true }, "a.example")
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
			checkTruth(t, found)
			again := -len(list)
			for _, m := range host.asked() {
				if slices.Contains(list, m) { // a random mailbox may begin with "bad", too
					again++
				}
			}
			if again != tt.again {
				t.Errorf("%d were asked about again, want %d", again, tt.again)
			}
		})
	}
}

// TestLastGroupWithoutItsReset is about a host that leaves out a reply in the last group of its first session, and ends the session when it comes to
// QUIT, before the RSET that would show it.
func TestLastGroupWithoutItsReset(t *testing.T) {
	for _, end := range []string{closes, hangs, "421 4.3.2 bye"} {
		for place := range 3 {
			t.Run(fmt.Sprint(end, " ", place), func(t *testing.T) {
				var last atomic.Bool
				host := leavesOut(func(v *visit, c string) (bool, bool) {
					return c == "RCPT" && v.here == place && last.CompareAndSwap(true, false), false
				})
				usually := host.other
				host.other = func(v *visit, c string) string {
					if c == "QUIT" {
						return end
					}
					if strings.HasPrefix(c, "MAIL") {
						v.here, v.mailed = 0, v.mailed+1
					}
					return usually(v, c)
				}
				found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, dropsReset(host, &last), longList())
				checkNobodyElses(t, found)
			})
		}
	}
}

// TestLastGroupSaysOneTwice is about a host that answers about a recipient twice in the last group of its first session, and drops the RSET that comes
// before QUIT, so that the replies are as many as the commands: that to RSET has the words of another.
func TestLastGroupSaysOneTwice(t *testing.T) {
	for place := range 8 {
		t.Run(fmt.Sprint(place), func(t *testing.T) {
			var last atomic.Bool
			host := &peer{after: func(v *visit, c string) string {
				if strings.HasPrefix(c, "RCPT") && v.here > place && last.CompareAndSwap(true, false) {
					return "550 5.1.1 no such user"
				}
				return ""
			}, rcpt: func(_ *visit, m string) string { return strings.Replace(usual(m), " <"+m+">:", "", 1) }}
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, dropsReset(host, &last), longList())
			checkNobodyElses(t, found)
		})
	}
}

// dropsReset is a host that does not see the RSET before a QUIT in the same group. The flag is set when that happens first.
func dropsReset(host smtptest.Handler, last *atomic.Bool) smtptest.Handler {
	seen := sync.OnceFunc(func() { last.Store(true) })
	return smtptest.HandlerFunc(func(c net.Conn) {
		host.ServeSMTP(startledConn{c, func(c net.Conn, group []byte) ([]byte, error) {
			seen()
			return startled["goodbye first"](c, group)
		}})
	})
}
