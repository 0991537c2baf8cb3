package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// leavesOut is a host that names nobody, has no enhanced status codes, and
// leaves out the reply to a command, or the reply's last line.
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

// TestReplyIsLeftOut is about a host that leaves out a reply, or its last line,
// in its first session: what it says about the control is not the target's. A
// second session shows it, in which each command waits for the reply to the one
// before. Where the first that is heard is a refusal, it is taken for that of
// the sender, which says nothing about the mailbox, and different codes in one
// reply are nobody's.
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
					want := map[string]string{"good": "mail 250, target 250, control 550", "bad": "mail 250, target 550, control 550"}[m[:strings.IndexByte(m, '@')]]
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

// TestSlowControl is about a host that refuses the target and takes a long time
// over the control: the answer does not wait for that, and stands.
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
			if r.took > 7*time.Second {
				b.Errorf("%v: took %v", delay, r.took)
			}
		})
	}
}

// TestSlowHostAndControl sees that a host slow over everything has the time for
// the control that it took for the target.
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

// TestReplyIsLeftOutBeforeASlowMailbox is about a host that leaves out a reply
// in a transaction in which it then takes longer over a mailbox than there is
// time: how many replies there are to be does not show.
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
