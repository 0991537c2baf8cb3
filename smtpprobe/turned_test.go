package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// soonTurned is a host that turns after so many refusals, in its ordinary
// words: for good, or until the next MAIL. It has a postmaster.
func soonTurned(refusals int, forgets bool) *smtptest.Host {
	var mu sync.Mutex
	refused := 0
	return &smtptest.Host{RCPTFunc: func(m string, n int) string {
		mu.Lock()
		defer mu.Unlock()
		if forgets && n == 1 {
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
