package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// saysTwice is a host that names nobody, has the same words for all that it
// accepts, takes its time over each reply, and says one of its first session
// twice: that to a command which twice tells.
func saysTwice(pace time.Duration, twice func(v *visit, command string) bool) *peer {
	plain := func(m string) string {
		if strings.HasPrefix(m, "good") {
			return "250 ok"
		}
		return "550 no such user"
	}
	return &peer{
		wait: func(*visit, string) time.Duration { return pace },
		rcpt: func(_ *visit, m string) string { return plain(m) },
		other: func(v *visit, c string) string {
			time.Sleep(pace)
			if c == "RSET" || strings.HasPrefix(c, "MAIL") {
				v.mailed++
				return "250 ok"
			}
			return ""
		},
		after: func(v *visit, c string) string {
			if v.number > 1 || !twice(v, c) {
				return ""
			}
			if mailbox, ok := strings.CutPrefix(c, "RCPT TO:<"); ok {
				return plain(mailbox)
			}
			return "250 ok"
		},
	}
}

// TestSlowHostSaysItTwice is about a host that says something twice, so that
// everybody behind is told the answer about another, and that sends its replies
// one by one: the one left over at the end comes long after the others.
func TestSlowHostSaysItTwice(t *testing.T) {
	for _, keywords := range []string{"PIPELINING", "SIZE"} {
		for _, pace := range []time.Duration{0, 15 * time.Millisecond, 100 * time.Millisecond, 900 * time.Millisecond} {
			for place := 1; place <= 5; place++ {
				t.Run(fmt.Sprintf("%s %v %d", keywords, pace, place), func(t *testing.T) {
					host := saysTwice(pace, func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT") && v.named == place })
					host.keywords = keywords
					requests := aboutAll(company()[:40])
					inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
						for i, r := range b.askAll(requests) {
							if last := r.last(); last.Target != nil && fmt.Sprint(last.Target.Code) != usual(requests[i].Target)[:3] {
								b.Errorf("%s: found %s\n%s", requests[i].Target, summaries(r.found), transcript(last))
							}
						}
					})
				})
			}
		}
	}
}

// TestSlowHostSaysTheLastTwice is about such a host that says twice what it
// says about the last recipient of a transaction: the reply that is left over,
// to RSET, would be taken for one of the next.
func TestSlowHostSaysTheLastTwice(t *testing.T) {
	for _, pace := range []time.Duration{15 * time.Millisecond, 100 * time.Millisecond, 900 * time.Millisecond} {
		t.Run(pace.String(), func(t *testing.T) {
			host := saysTwice(pace, func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT") && v.named == 10 })
			about := func(list []string) []smtpprobe.Request {
				return aboutAll(list)
			}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				_ = b.askAll(about(mailboxes(10, func(int) bool { return false }, "a.example")))
				list := mailboxes(10, func(i int) bool { return i == 5 }, "a.example")
				for i, r := range b.askAll(about(list)) {
					if last := r.last(); last.Target == nil || fmt.Sprint(last.Target.Code) != usual(list[i])[:3] {
						b.Errorf("%s: found %s\n%s", list[i], summaries(r.found), transcript(last))
					}
				}
			})
		})
	}
}

// TestSlowHostSaysMAILTwice is the same of the reply to MAIL, or to the RSET
// before it, and a single mailbox, which the second would accept.
func TestSlowHostSaysMAILTwice(t *testing.T) {
	for _, keywords := range []string{"PIPELINING", "SIZE"} {
		for _, verb := range []string{"MAIL", "RSET"} {
			t.Run(keywords+" "+verb, func(t *testing.T) {
				host := saysTwice(100*time.Millisecond, func(_ *visit, c string) bool { return strings.HasPrefix(c, verb) })
				host.keywords = keywords
				inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
					for i := range 2 {
						r := b.ask(b.Context(), about(fmt.Sprintf("bad%d@a.example", i)))
						if last := r.last(); last.Target != nil && last.Target.Code != 550 {
							b.Errorf("found %s\n%s", summaries(r.found), transcript(last))
						}
						time.Sleep(time.Second)
					}
				})
			})
		}
	}
}

// TestSlowHonestHost holds that nobody waits longer for a reply too many where
// the words show that there is none, however late the control is refused.
func TestSlowHonestHost(t *testing.T) {
	for _, accepted := range []string{"250 2.1.5 ok", "250 accepted"} {
		for _, keywords := range []string{"PIPELINING", "SIZE"} {
			company := map[string]int{"PIPELINING": 3, "SIZE": 1}[keywords] // in turn, there is no RSET to show it
			host := &peer{keywords: keywords, rcpt: func(_ *visit, m string) string {
				if strings.HasPrefix(m, "good") {
					return accepted
				}
				time.Sleep(5 * time.Second)
				return ""
			}}
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				for _, r := range b.askAll(aboutAll([]string{"good1@a.example", "good2@a.example", "good3@a.example"}[:company])) {
					if r.last().Control == nil || r.took > 5500*time.Millisecond { // a session of its own begins 300 ms later
						b.Errorf("%s %s: found %s, took %v", keywords, accepted, summaries(r.found), r.took)
					}
				}
			})
		}
	}
}

// TestSlowHonestHostIsKnown holds the same of a host whose words for RSET are
// like those for a recipient, from the second session on.
func TestSlowHonestHostIsKnown(t *testing.T) {
	slow := false
	host := &peer{rcpt: func(_ *visit, m string) string {
		if slow && !strings.HasPrefix(m, "good") {
			time.Sleep(5 * time.Second)
		}
		return ""
	}, other: func(_ *visit, c string) string {
		return map[string]string{"RSET": "250 2.1.5 Flushed"}[c]
	}}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		for _, domain := range []string{"a.example", "b.example"} {
			for _, r := range b.askAll(aboutAll(mailboxes(3, func(int) bool { return false }, domain))) {
				if r.last().Control == nil || r.took > 5500*time.Millisecond {
					b.Errorf("found %s, took %v", summaries(r.found), r.took)
				}
			}
			slow = true
			time.Sleep(time.Minute)
		}
	})
}

// TestSaidTwiceInTurn is about a host without PIPELINING that says something
// twice and hangs up over the control, so that nothing is left over at the end:
// what came unasked is seen before the next command.
func TestSaidTwiceInTurn(t *testing.T) {
	for _, verb := range []string{"MAIL", "RCPT"} {
		t.Run(verb, func(t *testing.T) {
			host := &peer{keywords: "SIZE", rcpt: after(1, always(closes)), after: func(v *visit, c string) string {
				switch {
				case !strings.HasPrefix(c, verb):
					return ""
				case verb == "MAIL":
					return "250 2.1.0 Ok"
				}
				return usual("good@a.example")
			}}
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				m := map[string]string{"MAIL": "bad@a.example", "RCPT": "good@a.example"}[verb]
				if r := b.ask(b.Context(), about(m)); r.last().Target != nil && r.last().Target.Code == 250 && (verb == "MAIL" || r.last().Control != nil) {
					b.Errorf("found %s\n%s", summaries(r.found), transcript(r.last()))
				}
			})
		})
	}
}

// TestEverythingIsSaidTwice is about a host that says everything from EHLO on
// twice, with the same time before each: nothing comes sooner than the rest.
func TestEverythingIsSaidTwice(t *testing.T) {
	for _, keywords := range []string{"PIPELINING", "SIZE"} {
		for _, pace := range []time.Duration{50 * time.Millisecond, 1500 * time.Millisecond} {
			for _, list := range [][]string{{"bad@a.example"}, company()[:10]} {
				t.Run(fmt.Sprintf("%s %v %d", keywords, pace, len(list)), func(t *testing.T) {
					host := saysTwice(pace, func(*visit, string) bool { return false })
					host.keywords = keywords
					host.after = func(v *visit, c string) string { return host.answer(v, c) }
					inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
						for i, r := range b.askAll(aboutAll(list)) {
							if last := r.last(); last.Target != nil && fmt.Sprint(last.Target.Code) != usual(list[i])[:3] {
								b.Errorf("%s: found %s\n%s", list[i], summaries(r.found), transcript(last))
							}
						}
					})
				})
			}
		}
	}
}
