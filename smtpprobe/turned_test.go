package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

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
			var refused, until atomic.Int64 // until: a Unix time
			host := &peer{RCPTFunc: func(_ *visit, m string) string {
				if strings.HasPrefix(m, "good") && time.Now().Unix() >= until.Load() {
					return ""
				}
				if refused.Add(1) == 20 {
					until.Store(time.Now().Add(24 * time.Hour).Unix())
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
