package smtpprobe_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// wording is how a host words its replies about recipients.
type wording struct{ name, accepts, refuses string }

var (
	plain    = wording{"plain", "250 OK", "550 No such user here"}
	enhanced = wording{"enhanced", "250 2.1.5 Ok", "550 5.1.1 No such user here"}
	naming   = wording{"naming", "250 2.1.5 <%s> ok", "550 5.1.1 <%s>: no such user here"}
)

func (w wording) about(mailbox string) string {
	if lives(mailbox) {
		return strings.ReplaceAll(w.accepts, "%s", mailbox)
	}
	return strings.ReplaceAll(w.refuses, "%s", mailbox)
}

// host is an honest host with these words. If they have no enhanced status
// codes, an accepted recipient and RSET have the same.
func (w wording) host(inTurn bool) *peer {
	return &peer{
		NoPipelining: inTurn,
		RCPTFunc:     func(_ *visit, m string) string { return w.about(m) },
		Say: func(_ *visit, c, _ string) string {
			if w == plain && (c == "RSET" || strings.HasPrefix(c, "MAIL")) {
				return w.accepts
			}
			return ""
		},
	}
}

// TestReplyTooMany is about hosts that send one reply too many somewhere in a
// session, the same again or another, at once or in their own time: a mailbox
// must not get the answer about another. Where only the first session is so,
// only a mailbox that was alone in it goes without an answer.
func TestReplyTooMany(t *testing.T) {
	rcpt := func(n int) func(*visit, string) bool {
		return func(v *visit, c string) bool { return isRCPT(c) && v.Named == n-1 }
	}
	places := map[string]func(v *visit, command string) bool{
		"EHLO":        func(_ *visit, c string) bool { return strings.HasPrefix(c, "EHLO") },
		"MAIL":        func(_ *visit, c string) bool { return strings.HasPrefix(c, "MAIL") },
		"2nd MAIL":    func(v *visit, c string) bool { return strings.HasPrefix(c, "MAIL") && v.Mailed == 1 },
		"1st RCPT":    rcpt(1),
		"3rd RCPT":    rcpt(3),
		"10th RCPT":   rcpt(10), // the last of a transaction
		"12th RCPT":   rcpt(12),
		"the 1st bad": func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT TO:<bad") && v.Refused == 0 },
		"RSET":        func(_ *visit, c string) bool { return c == "RSET" },
	}
	more := []struct {
		text string // empty: the same again
		pace time.Duration
	}{{"250 ok", 0}, {"550 5.1.1 no such user", 0}, {"452 4.2.2 full", 0}, {"", 0}, {"", 15 * time.Millisecond}, {"", 900 * time.Millisecond}}
	for place, here := range places {
		for _, more := range more {
			for _, inTurn := range []bool{false, true} {
				for _, sessions := range []int{1, 1000} {
					t.Run(fmt.Sprintf("%q behind %s, pace %v, in turn %t, %d sessions", more.text, place, more.pace, inTurn, sessions), func(t *testing.T) {
						host := &peer{NoPipelining: inTurn}
						if more.text == "" {
							host = plain.host(inTurn)
						}
						host.Pace = more.pace
						before := host.Say
						host.Say = func(v *visit, c, due string) string {
							if before != nil {
								due = cmp.Or(before(v, c, due), due)
							}
							if v.Number > sessions || !here(v, c) {
								return due
							}
							again := plain.accepts
							if isRCPT(c) {
								again = due
							}
							return due + "\n" + cmp.Or(more.text, again)
						}
						// Controls are known soon, so that there is
						// company of targets alone.
						list := append([]string{"good@a.example", "good@b.example"}, company()[:60]...)
						answers, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, list)
						n := checkNoLie(t, list, answers)
						if sessions == 1 && place != "EHLO" && n > 1 {
							t.Errorf("%d without an answer", n)
						}
					})
				}
			}
		}
	}
}

// TestReplyTooManyAboutOne is the same about single mailboxes, one after the
// other, at hosts that answer a command of each session twice, with the same
// time before each reply; and about some at once, where all is said twice.
func TestReplyTooManyAboutOne(t *testing.T) {
	for _, verb := range []string{"EHLO", "MAIL", "RCPT", "RSET", ""} {
		for _, pace := range []time.Duration{0, 12 * time.Millisecond, 50 * time.Millisecond, 1500 * time.Millisecond} {
			for _, w := range []wording{plain, enhanced, naming} {
				for _, inTurn := range []bool{false, true} {
					t.Run(fmt.Sprint(verb, " ", pace, " ", w.name, " in turn ", inTurn), func(t *testing.T) {
						host := w.host(inTurn)
						host.Pace, host.Arrange = pace, twice(verb)
						inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
							list := company()[:10]
							if verb == "" {
								checkNoLie(b.T, list, b.askAll(aboutAll(list)))
								return
							}
							for i, r := range b.askInTurn(aboutAll(list)) {
								checkVerdict(b.T, list[i], r)
							}
						})
					})
				}
			}
		}
	}
}

// twice says the reply to the first such command of a session twice, that to
// EHLO in other words; without a verb, all that it says.
func twice(verb string) func(v *visit, group, answers []string) []string {
	done := map[*visit]bool{}
	var mu sync.Mutex // a session may still be ending while the next one begins
	return func(v *visit, group, answers []string) (said []string) {
		mu.Lock()
		defer mu.Unlock()
		for i, answer := range answers {
			said = append(said, answer)
			switch {
			case verb == "" && group[i] != "QUIT":
				said = append(said, answer)
			case verb == "" || done[v] || !strings.HasPrefix(group[i], verb):
			case verb == "EHLO":
				done[v], said = true, append(said, "250 OK")
			default:
				done[v], said = true, append(said, answer)
			}
		}
		return said
	}
}

// TestSaidTwiceAndHungUp is about a host without PIPELINING that says something
// twice and hangs up over the control, so that nothing is left over at the end:
// what came unasked is seen before the next command.
func TestSaidTwiceAndHungUp(t *testing.T) {
	for verb, m := range map[string]string{"MAIL": "bad@a.example", "RCPT": "good@a.example"} {
		host := &peer{NoPipelining: true, RCPTFunc: after(1, always(closes)), Say: func(_ *visit, c, due string) string {
			if !strings.HasPrefix(c, verb) {
				return ""
			}
			return due + "\n" + map[string]string{"MAIL": "250 2.1.0 Ok", "RCPT": "250 2.1.5 Ok"}[verb]
		}}
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			if r := b.ask(b.Context(), about(m)); r.code() == 250 && (verb == "MAIL" || r.last().Control != nil) {
				b.Errorf("%s: %v\n%s", verb, r, transcript(r.last()))
			}
		})
	}
}

// leavesOut is a host that names nobody and leaves out the reply to a command,
// or the reply's last line, so that there is one reply too few.
func leavesOut(w wording, out func(v *visit, command string) (whole, end bool)) *peer {
	host := w.host(false)
	say := host.Say
	host.Say = func(v *visit, c, due string) string {
		due = cmp.Or(say(v, c, due), due)
		switch whole, end := out(v, c); {
		case !isRCPT(c) && !strings.HasPrefix(c, "MAIL"):
		case whole:
			return skips
		case end:
			return due[:3] + "-" + due[4:]
		}
		return due
	}
	return host
}

// TestReplyTooFew is about hosts that leave out a reply, or its last line, in
// their first session: what they say about the control is not the target's. A
// second session shows it, in which each command waits for the reply to the one
// before. Where the first that is heard is a refusal, it is taken for that of
// the sender, which says nothing about the mailbox, and different codes in one
// reply are nobody's.
func TestReplyTooFew(t *testing.T) {
	first := func(verb string) func(*visit, string) bool {
		return func(v *visit, c string) bool { return v.Number == 1 && v.Named == 0 && strings.HasPrefix(c, verb) }
	}
	for name, out := range map[string]func(v *visit, c string) (whole, end bool){
		"of MAIL":               func(v *visit, c string) (bool, bool) { return first("MAIL")(v, c), false },
		"of RCPT":               func(v *visit, c string) (bool, bool) { return first("RCPT")(v, c), false },
		"the last line at RCPT": func(v *visit, c string) (bool, bool) { return false, first("RCPT")(v, c) },
	} {
		for _, m := range []string{"good@a.example", "bad@a.example"} {
			t.Run(name+" "+m, func(t *testing.T) {
				sessions := inBubble(t, smtpprobe.Config{}, one(leavesOut(plain, out)), func(b *bubble) {
					r := b.ask(b.Context(), about(m))
					truth := fmt.Sprintf("mail 250, target %d, control 550", want(m))
					got := strings.TrimPrefix(summaries(r.found), "greeting 220, ehlo 250, ")
					if !slices.Contains([]string{truth, "mail 550", "mail 250, failure protocol at rcpt"}, got) || r.err != nil || r.took > 7*time.Second {
						b.Errorf("%v after %v, want %s\n%s", r, r.took, truth, transcript(r.last()))
					}
				})
				if len(sessions) > 2 {
					t.Errorf("%d sessions", len(sessions))
				}
			})
		}
	}
}

// TestReplyTooFewInCompany is the same in transactions of many, in some of
// which the host then takes longer over a mailbox than there is time, so that
// how many replies there are to be does not show.
func TestReplyTooFewInCompany(t *testing.T) {
	list := company()[:20]
	for place := range list {
		for _, whole := range []bool{true, false} {
			for _, slow := range []int{-1, place + 1, place + 4} {
				t.Run(fmt.Sprint(place, " ", whole, " ", slow), func(t *testing.T) {
					host := leavesOut(plain, func(v *visit, c string) (bool, bool) {
						here := strings.HasPrefix(c, "RCPT") && v.Number == 1 && v.Named == place
						return here && whole, here && !whole
					})
					host.RCPTFunc = func(v *visit, m string) string {
						if v.Number == 1 && v.Named == slow {
							v.Sleep(time.Hour)
						}
						return plain.about(m)
					}
					answers, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
					checkNoLie(t, list, answers)
					for i, r := range answers {
						if c := r.last().Control; c != nil && c.Code == 250 {
							t.Errorf("%s: control accepted: %v", list[i], r)
						}
					}
				})
			}
		}
	}
}

// TestScriptsOutOfStep is about replies that are, or seem to be, about other
// recipients, and what the findings say of them.
func TestScriptsOutOfStep(t *testing.T) {
	const opened = "greeting 220, ehlo 250, "
	const believed, doubted = opened + "mail 250, target 550, control 550", opened + "mail 250, failure protocol at rcpt"
	const ok, no = "S: 250 2.1.0 ok\n", "S: 550 5.1.1 no\nS: 250 reset\n"
	for _, tt := range []struct{ replies, found string }{
		// An answer whose lines have different codes may lack its end.
		{ok + "S: 550-5.7.0 we know you\nS: 550 5.1.1 no such user\n" + no, doubted},
		{ok + "S: 550-5.7.0 we know you\nS: 550-and so\nS: 550 5.1.1 no such user\n" + no, doubted},
		{ok + "S: 550-5.1.1 no such\nS: 550-user\nS: 550 5.1.1 here\n" + no, believed},
		{ok + "S: 550 5.1.1 5.7.0 says the host behind this one\n" + no, believed},
		{ok + "S: 550-5.1.1 it says\nS: 550 5.1.1 5.7.0 we know you\n" + no, believed},
		{ok + "S: 450-4.7.0 we know you\nS: 450 4.2.0 later\n" + no, opened + "mail 250, target 450, control 550"}, // proves nothing anyway
		// It names the target in its own spelling.
		{ok + "S: 550 5.1.1 <Alice@Example.COM>: no\n" + no, believed},
	} {
		o := probe(t, setting{}, smtptest.Script(group+tt.replies))
		if got := summaries(o.found); got != tt.found {
			t.Errorf("%s: found %s\n%s", tt.replies, got, transcript(o.last()))
		}
	}
	// The reply to MAIL, or to something before it, is missing: each moves to
	// the command before its own. Its words may give it away.
	for _, replies := range []string{
		"S: 250 2.1.5 ok\nS: 550 5.1.1 no such user\n",
		"S: 250 <Alice@example.com>, recipient ok\nS: 550 no such user\n",
		"S: 250 ok\nS: 550 <random@example.com>: no such user\n",
		"S: 250-ok\nS: 250 yes\nS: 550 5.1.1 no\n",
	} {
		for _, end := range []string{"hang", "sleep 5s\nclose", "sleep 5s\nS: 421 4.4.2 timeout\nclose"} {
			o := probe(t, setting{}, smtptest.Script(group+replies+end))
			if last := o.found.Sessions[0]; last.Target != nil || last.Failure == nil {
				t.Errorf("%s%s: %v\n%s", replies, end, o, transcript(last))
			}
		}
	}
}

// TestReplyToMailAmongRecipients is about a host that says its reply to MAIL
// once more where that about a dead recipient should be: it is nobody's
// acceptance.
func TestReplyToMailAmongRecipients(t *testing.T) {
	for _, place := range []int{1, 3, 7} {
		t.Run(fmt.Sprint(place), func(t *testing.T) {
			host := naming.host(false)
			host.RCPTFunc = func(v *visit, m string) string {
				if v.Number == 1 && v.Refused >= place && !lives(m) {
					return "250 2.1.0 Ok"
				}
				return naming.about(m)
			}
			host.Say = func(_ *visit, c, _ string) string {
				if strings.HasPrefix(c, "MAIL") {
					return "250 2.1.0 Ok"
				}
				return ""
			}
			list := company()[:30]
			answers, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
			checkNoLie(t, list, answers)
		})
	}
}
