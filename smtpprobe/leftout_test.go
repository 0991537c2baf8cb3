package smtpprobe_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// leavesOut is a host that names nobody, has no enhanced status codes, and leaves out the reply to a command, or the reply's last line.
func leavesOut(out func(v *visit, command string) (whole, end bool)) *peer {
	plain := func(m string) string {
		if strings.HasPrefix(m, "good") {
			return "250 ok"
		}
		return "550 no such user"
	}
	odd := func(v *visit, command, reply string) string {
		switch whole, end := out(v, command); {
		case whole:
			return skips
		case end:
			return reply[:3] + "-" + reply[4:]
		}
		return reply
	}
	return &peer{
		rcpt: func(v *visit, m string) string { return odd(v, "RCPT", plain(m)) },
		other: func(v *visit, c string) string {
			if strings.HasPrefix(c, "MAIL") {
				return odd(v, "MAIL", "250 ok")
			}
			return ""
		},
	}
}

// TestReplyIsLeftOut is about a host that leaves out a reply, or its last line, in its first session: what it says about the control is not the
// target's. A second session shows it, in which each command waits for the reply to the one before. Where the first that is heard is a refusal, it
// is taken for that of the sender, which says nothing about the mailbox, and different codes in one reply are nobody's.
func TestReplyIsLeftOut(t *testing.T) {
	first := func(command string) func(*visit, string) bool {
		return func(v *visit, c string) bool { return v.number == 1 && v.named == 0 && c == command }
	}
	for name, out := range map[string]func(v *visit, c string) (whole, end bool){
		"of MAIL":               func(v *visit, c string) (bool, bool) { return first("MAIL")(v, c), false },
		"of RCPT":               func(v *visit, c string) (bool, bool) { return first("RCPT")(v, c), false },
		"the last line at RCPT": func(v *visit, c string) (bool, bool) { return false, first("RCPT")(v, c) },
	} {
		for _, m := range []string{"good@a.example", "bad@a.example"} {
			t.Run(name+" "+m, func(t *testing.T) {
				sessions := inBubble(t, smtpprobe.Config{}, one(leavesOut(out)), func(b *bubble) {
					r := b.ask(b.Context(), about(m))
					want := map[string]string{"good": "mail 250, target 250, control 550", "bad": "mail 250, target 550"}[m[:strings.IndexByte(m, '@')]]
					if got := summaries(r.found); !slices.Contains([]string{want, "mail 550", "mail 250, failure protocol at rcpt"}, strings.TrimPrefix(got, "greeting 220, ehlo 250, ")) || r.err != nil {
						b.Errorf("found %s (%v), want %s\n%s", got, r.err, want, transcript(r.last()))
					}
					if r.took > 7*time.Second {
						b.Errorf("took %v", r.took)
					}
				})
				if len(sessions) > 2 {
					t.Errorf("%d sessions", len(sessions))
				}
			})
		}
	}
}

// TestSlowControl is about a host that refuses the target and takes a long time over the control: the answer does not wait for that, and stands.
func TestSlowControl(t *testing.T) {
	for _, delay := range []time.Duration{2 * time.Second, 15 * time.Second, time.Hour} {
		host := &peer{wait: func(v *visit, _ string) time.Duration {
			if v.refused > 0 {
				return delay
			}
			return 0
		}}
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			r := b.ask(b.Context(), about("bad@a.example"))
			if last := r.last(); last.Target == nil || last.Target.Code != 550 || r.err != nil {
				b.Errorf("%v: found %s (%v)", delay, summaries(r.found), r.err)
			}
			if r.took > 5*time.Second {
				b.Errorf("%v: took %v", delay, r.took)
			}
		})
	}
}

// TestSlowHostAndControl sees that a host slow over everything has the time for the control that it took for the target.
func TestSlowHostAndControl(t *testing.T) {
	host := &peer{wait: func(*visit, string) time.Duration { return 5 * time.Second }}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		if r := b.ask(b.Context(), about("bad@a.example")); r.last().Target == nil || r.last().Control == nil {
			b.Errorf("found %s (%v)", summaries(r.found), r.err)
		}
	})
	if len(sessions) != 1 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestSlowControlAndNoTime sees that who has no time for a second session is told what the first has shown, and the refusal only where it names whom it
// is about.
func TestSlowControlAndNoTime(t *testing.T) {
	for text, want := range map[string]string{
		"550 5.1.1 no such user":                  "greeting 220, ehlo 250, mail 250, failure timeout at rcpt",
		"550 5.1.1 <Bad@a.example>: no such user": "greeting 220, ehlo 250, mail 250, target 550, failure timeout at rcpt",
	} {
		host := &peer{rcpt: func(v *visit, _ string) string {
			if v.named > 0 {
				return hangs
			}
			return text
		}}
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			req := about("bad@a.example")
			req.Budget = 2 * time.Second
			if got := summaries(b.ask(b.Context(), req).found); got != want {
				b.Errorf("%s: found %s", text, got)
			}
		})
		if len(sessions) != 1 {
			t.Errorf("%d sessions", len(sessions))
		}
	}
}

// TestRepliesAreLeftOutInCompany is about a host that leaves out two replies of a transaction, or their last lines, and goes on, so that it waits for
// a command when the last recipients' answers are due, for ever or for a time; or that hangs up a few recipients behind them.
func TestRepliesAreLeftOutInCompany(t *testing.T) {
	for _, places := range [][]int{{3, 7}, {4, 5}, {6, 19}, {12, 40}} {
		for _, end := range []string{"waits", "waits and hangs up", "waits and says 421", "hangs up"} {
			for _, whole := range []bool{true, false} {
				if whole && end == "hangs up" {
					continue // nothing would show it
				}
				t.Run(fmt.Sprintf("%v %s, whole: %v", places, end, whole), func(t *testing.T) {
					host := leavesOut(func(v *visit, c string) (bool, bool) {
						here := c == "RCPT" && v.number == 1 && (v.named == places[0] || v.named == places[1])
						return here && whole, here && !whole
					})
					usually := host.rcpt
					host.rcpt = func(v *visit, m string) string {
						if end == "hangs up" && v.number == 1 && v.named > places[1]+3 {
							return closes
						}
						return usually(v, m)
					}
					handler := smtptest.HandlerFunc(func(c net.Conn) {
						switch end {
						case "waits and hangs up":
							c = impatientConn{c, 8 * time.Second, ""}
						case "waits and says 421":
							c = impatientConn{c, 8 * time.Second, "421 4.4.2 timeout\r\n"}
						}
						host.ServeSMTP(c)
					})
					found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, handler, company())
					checkTruth(t, found)
				})
			}
		}
	}
}

// TestSilenceBehindAcceptance is about a host that falls silent once, over the seventh recipient of a transaction. Where its words for an accepted
// recipient are not those for RSET, nothing was left out before, and nobody but that one is asked about again.
func TestSilenceBehindAcceptance(t *testing.T) {
	for _, tt := range []struct {
		name, reset string
		again       int
	}{
		{"other words", "250 2.1.5 Flushed b%d - gsmtp", 1},
		{"the same words", "250 2.1.5 Ok b%d - gsmtp", 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := mailboxes(60, func(int) bool { return false }, "a.example")
			silent := once(func() string { return hangs })
			host := &peer{
				rcpt: func(v *visit, m string) string {
					switch {
					case !strings.HasPrefix(m, "good"):
						return "550 5.1.1 no such user"
					case v.here == 6 && v.mailed > 1:
						if text := silent(); text != "" {
							return text
						}
					}
					return fmt.Sprintf("250 2.1.5 Ok b%d - gsmtp", v.named)
				},
				other: func(v *visit, c string) string {
					if c == "RSET" {
						return fmt.Sprintf(tt.reset, v.named)
					}
					return ""
				},
			}
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
			checkTruth(t, found)
			again := -len(list)
			for _, m := range host.asked() {
				if strings.HasPrefix(m, "good") {
					again++
				}
			}
			if again != tt.again {
				t.Errorf("%d were asked about again, want %d", again, tt.again)
			}
		})
	}
}

// TestReplyIsLeftOutBeforeASlowMailbox is about a host that leaves out a reply in a transaction in which it then takes longer over a mailbox than there
// is time: how many replies there are to be does not show.
func TestReplyIsLeftOutBeforeASlowMailbox(t *testing.T) {
	for place := range 3 {
		for slow := 4; slow < 8; slow++ {
			t.Run(fmt.Sprint(place, " ", slow), func(t *testing.T) {
				host := leavesOut(func(v *visit, c string) (bool, bool) {
					return c == "RCPT" && v.number == 1 && v.named == place, false
				})
				host.wait = func(v *visit, _ string) time.Duration {
					if v.number == 1 && v.named == slow {
						return time.Hour
					}
					return 0
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
