package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// soonTurned is a host that turns after so many refusals, in its ordinary
// words: for good, or until the next MAIL. It has a postmaster.
func soonTurned(refusals int, forgets bool) *smtptest.Host {
	var mu sync.Mutex
	refused := 0
	return &smtptest.Host{RCPTFunc: func(v *smtptest.Visit, m string) string {
		mu.Lock()
		defer mu.Unlock()
		if forgets && v.Here == 0 {
			refused = 0
		}
		if refused < refusals && (strings.HasPrefix(m, "good") || strings.HasPrefix(m, "postmaster@")) {
			return "250 2.1.5 Ok"
		}
		refused++
		return "550 5.1.1 User unknown"
	}}
}

// TestTurnsWithinATransaction is about hosts that turn for the rest of a
// transaction after some refusals, as Exim's $rcpt_fail_count lets them, and
// accept postmaster in the next one. The first transaction with such a host has
// dead mailboxes before a living one.
func TestTurnsWithinATransaction(t *testing.T) {
	for refusals := 1; refusals <= 12; refusals++ {
		for dead := 1; dead <= 12; dead++ {
			t.Run(fmt.Sprintf("after %d, %d dead", refusals, dead), func(t *testing.T) {
				list := mailboxes(dead+1, func(i int) bool { return i < dead }, "a.example")
				inBubble(t, smtpprobe.Config{}, one(soonTurned(refusals, true)), func(b *bubble) {
					for i, r := range b.askTogether(b.Context(), aboutAll(list)) {
						checkVerdict(b.T, list[i], r)
					}
				})
			})
		}
	}
}

// TestTurnsAtOnce is about hosts that turn for good after a few refusals, and
// have accepted nobody before: no living mailbox is called dead, be it asked
// about behind the dead ones, by itself, or by an egress that was removed
// meanwhile and has come back.
func TestTurnsAtOnce(t *testing.T) {
	for refusals := 1; refusals <= 4; refusals++ {
		for dead := 1; dead <= 4; dead++ {
			list := mailboxes(dead+1, func(i int) bool { return i < dead }, "a.example")
			requests := aboutAll(list)
			for name, ask := range map[string]func(b *bubble) []told{
				"together": func(b *bubble) []told { return b.askTogether(b.Context(), requests) },
				"in turn":  func(b *bubble) []told { return b.askInTurn(requests) },
				"later": func(b *bubble) (answers []told) {
					for _, r := range requests {
						answers = append(answers, b.ask(b.Context(), r))
						time.Sleep(10 * time.Minute)
					}
					return answers
				},
				"by an egress that comes back": func(b *bubble) (answers []told) {
					for _, r := range requests {
						for _, name := range []string{"another", "own"} {
							if err := b.pool.SetEgresses(egress.Egresses{{Name: name, Dialer: b.gauges}}, nil); err != nil {
								b.Fatal(err)
							}
							time.Sleep(time.Minute)
						}
						answers = append(answers, b.ask(b.Context(), r))
					}
					return answers
				},
			} {
				t.Run(fmt.Sprintf("after %d, %d dead, %s", refusals, dead, name), func(t *testing.T) {
					inBubble(t, smtpprobe.Config{}, one(soonTurned(refusals, false)), func(b *bubble) {
						for i, r := range ask(b) {
							checkVerdict(b.T, list[i], r)
						}
					})
				})
			}
		}
	}
}

// TestTurnedForThoseItAccepted asks again about mailboxes that a host has
// accepted, and that it refuses now, as it has turned: by themselves, and
// together with others. Nothing else is known that it accepts, but its
// postmaster. None is called dead, and the questions end.
func TestTurnedForThoseItAccepted(t *testing.T) {
	for accepted := 1; accepted <= 2; accepted++ {
		for others := range 4 {
			for _, exempt := range []bool{false, true} {
				for _, words := range []string{"550 5.1.1 User unknown", "550 5.1.1 No such recipient"} {
					t.Run(fmt.Sprintf("%d and %d, exempt %t, %q", accepted, others, exempt, words), func(t *testing.T) {
						testTurnedFor(t, accepted, others, exempt, words)
					})
				}
			}
		}
	}
}

func testTurnedFor(t *testing.T, accepted, others int, exempt bool, words string) {
	var turned atomic.Bool
	var named atomic.Int64
	host := &peer{RCPTFunc: func(_ *visit, m string) string {
		named.Add(1)
		switch {
		case exempt && strings.HasPrefix(m, "postmaster@"):
			return "250 2.1.5 Ok"
		case turned.Load():
			return words
		}
		return ""
	}}
	// So many refusals are no reason to end a session, which may end this.
	many := smtpprobe.Config{Session: smtpprobe.SessionCaps{Refused: 1000}}
	inBubble(t, many, one(host), func(b *bubble) {
		list := mailboxes(accepted, none, "a.example")
		b.checkAnswered(b.askInTurn(aboutAll(list)), 250)
		b.ask(b.Context(), about("postmaster@a.example"))
		b.ask(b.Context(), about("bad@a.example"))
		turned.Store(true)
		named.Store(0)
		list = append(list, mailboxes(others, all, "a.example")...)
		for i, r := range b.askTogether(b.Context(), aboutAll(list)) {
			checkVerdict(b.T, list[i], r)
		}
		if n := named.Load(); n > 40 {
			b.Errorf("%d recipients were named", n)
		}
	})
}

// TestTurnedForADay asks about a living mailbox, hours after a list, at a host
// that has turned for a day.
func TestTurnedForADay(t *testing.T) {
	for _, later := range []time.Duration{30 * time.Minute, 2 * time.Hour, 23 * time.Hour, 25 * time.Hour} {
		t.Run(later.String(), func(t *testing.T) {
			var refused atomic.Int64
			var until time.Time
			host := &peer{RCPTFunc: func(_ *visit, m string) string {
				if strings.HasPrefix(m, "good") && !time.Now().Before(until) {
					return ""
				}
				if refused.Add(1) == 20 {
					until = time.Now().Add(24 * time.Hour)
				}
				return "550 5.1.1 User unknown"
			}}
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				list := mailboxes(60, every(2), "a.example")
				for i, r := range b.askAll(patient(aboutAll(list))) {
					checkVerdict(b.T, list[i], r)
				}
				time.Sleep(later)
				r := b.ask(b.Context(), about("good@a.example"))
				if settled := checkVerdict(b.T, "good@a.example", r); settled != (later > 24*time.Hour) {
					b.Errorf("settled %t: %v", settled, r)
				}
			})
		})
	}
}

// TestOpenedWhileTurned has a session opened, slowly, while the host is found
// to refuse everybody: that host rests all the same, and single checks are told
// so at once.
func TestOpenedWhileTurned(t *testing.T) {
	var turned, slow atomic.Bool
	host := &peer{RCPTDelay: 100 * time.Millisecond, RCPTFunc: func(*visit, string) string {
		return map[bool]string{true: "550 5.1.1 User unknown"}[turned.Load()]
	}, Say: func(_ *visit, command, due string) string {
		return map[bool]string{true: "sleep 1s\n" + due}[command == "" && slow.Load()]
	}}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		b.ask(b.Context(), about("good@a.example"))
		turned.Store(true)
		var asked sync.WaitGroup
		ask := func(mailbox string, kind smtp.Kind) {
			asked.Go(func() {
				r := b.ask(b.Context(), about(mailbox))
				if f := r.last().Failure; kind != "" && (f == nil || f.Kind != kind) || r.took > 3*time.Second {
					b.Errorf("%s: %v", mailbox, r)
				}
			})
		}
		ask("good1@a.example", "") // finds out, after 0.7 s
		time.Sleep(500 * time.Millisecond)
		slow.Store(true)
		for i := range 3 {
			ask(fmt.Sprintf("good%d@b.example", i), smtp.KindTurned)
		}
		for i := range 20 {
			time.Sleep(500 * time.Millisecond)
			ask(fmt.Sprintf("good%d@c.example", i), smtp.KindTurned)
		}
		asked.Wait()
	})
}

// exempting is a host that turns for good, or for a session, after so many
// refusals, in other words than before, but for its postmaster.
func exempting(refusals int, forSession bool, words, others string) *peer {
	var all atomic.Int64
	return &peer{RCPTFunc: func(v *visit, m string) string {
		n := int(all.Load())
		if forSession {
			n = v.Refused
		}
		switch {
		case strings.HasPrefix(m, "postmaster@"):
			return "250 2.1.5 Ok"
		case n >= refusals:
			return strings.ReplaceAll(others, "%s", m)
		case strings.HasPrefix(m, "good"):
			return "250 2.1.5 Ok"
		}
		all.Add(1)
		return strings.ReplaceAll(words, "%s", m)
	}}
}

// TestPostmasterIsExempt is about hosts that turn in other words than those
// that they have for an unknown user, which are no less ordinary, and still
// accept postmaster (RFC 5321 §4.5.1). That proves nothing but refusals in the
// first words. Mailboxes that exist are found where a new session helps.
func TestPostmasterIsExempt(t *testing.T) {
	for _, words := range [][2]string{
		{"550 5.1.1 User unknown", "550 5.1.1 No such recipient"},
		{"550 5.1.1 <%s>: User unknown", "550 5.1.1 <%s>: Recipient does not exist here"},
		{"550 No such user", "550 5.1.1 No such user"},
		{"550 5.1.1 User unknown", "550 5.2.1 Mailbox disabled"},
	} {
		for refusals := 1; refusals <= 6; refusals++ {
			for _, forSession := range []bool{false, true} {
				for name, ask := range map[string]func(b *bubble, r []smtpprobe.Request) []told{
					"together": func(b *bubble, r []smtpprobe.Request) []told { return b.askTogether(b.Context(), r) },
					"in turn":  (*bubble).askInTurn,
					"a list":   func(b *bubble, r []smtpprobe.Request) []told { return b.askAll(patient(r)) },
				} {
					t.Run(fmt.Sprintf("%q after %d, session %t, %s", words[1], refusals, forSession, name), func(t *testing.T) {
						list := mailboxes(60, func(i int) bool { return i < 7 || i%3 > 0 }, "a.example")
						found := 0
						sessions := inBubble(t, smtpprobe.Config{}, one(exempting(refusals, forSession, words[0], words[1])), func(b *bubble) {
							for i, r := range ask(b, aboutAll(list)) {
								if checkVerdict(b.T, list[i], r); verdictOf(list[i], r) != "unknown" {
									found++
								}
							}
						})
						if forSession && refusals > 1 && found < len(list) {
							t.Errorf("%d of %d were settled", found, len(list))
						}
						if len(sessions) > 3*len(list) {
							t.Errorf("%d sessions", len(sessions))
						}
					})
				}
			}
		}
	}
}
