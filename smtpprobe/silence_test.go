package smtpprobe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// slowGreeting takes a while, so that others come and wait.
const slowGreeting = 100 * time.Millisecond

// TestMuteForWantOfTime sees that a host which takes longer to answer about a
// recipient than some had time for is asked for one with more time.
func TestMuteForWantOfTime(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, one(&peer{RCPTDelay: 5 * time.Second}), func(b *bubble) {
		hurried := patient(aboutAll(mailboxes(3, none, "a.example")))
		for i := range hurried {
			hurried[i].Budget = 2 * time.Second
		}
		for i, r := range b.askInTurn(hurried) {
			if f := r.last().Failure; f == nil || f.Kind != smtp.KindTimeout {
				b.Errorf("%d, in a hurry: %v", i, r)
			}
		}
		if n := len(b.network.Dials()); n > 3 { // the third is told what became of the others
			b.Errorf("%d connections", n)
		}
		b.checkAnswered([]told{b.ask(b.Context(), about("good@a.example"))}, 250)
	})
}

// TestSlowHonestHosts sees that nobody waits longer than the answer takes: not
// for a reply too many where the words show that there is none, however late
// the control is refused, and not for a control that does not matter.
func TestSlowHonestHosts(t *testing.T) {
	slowControl := func(delay time.Duration) func(*visit, string) string {
		return waits(func(_ *visit, m string) time.Duration {
			if strings.HasPrefix(m, "random") {
				return delay
			}
			return 0
		})
	}
	three, good, bad := mailboxes(3, none, "a.example"), []string{"good@a.example"}, []string{"bad@a.example"}
	for _, tt := range []struct {
		host *peer
		list []string
		took time.Duration // at most; a session of its own begins 300 ms later
	}{
		{&peer{RCPTFunc: slowControl(5 * time.Second)}, three, 5500 * time.Millisecond},
		{&peer{RCPTFunc: func(v *visit, m string) string { slowControl(5*time.Second)(v, m); return plain.about(m) }}, three, 5500 * time.Millisecond},
		{&peer{RCPTFunc: slowControl(5 * time.Second), NoPipelining: true}, good, 5500 * time.Millisecond},
		{&peer{RCPTFunc: slowControl(2 * time.Second)}, bad, 7 * time.Second},
		{&peer{RCPTFunc: slowControl(15 * time.Second)}, bad, 7 * time.Second},
		{&peer{RCPTFunc: slowControl(time.Hour)}, bad, 7 * time.Second},
		{&peer{RCPTDelay: 5 * time.Second}, bad, 11 * time.Second},
	} {
		sessions := inBubble(t, smtpprobe.Config{}, one(tt.host), func(b *bubble) {
			for i, r := range b.askAll(aboutAll(tt.list)) {
				control := want(tt.list[i]) == 250 || tt.host.RCPTDelay > 0
				if r.code() != want(tt.list[i]) || control && r.last().Control == nil || r.took > tt.took {
					b.Errorf("%s: %v after %v", tt.list[i], r, r.took)
				}
			}
		})
		if tt.host.RCPTDelay > 0 && len(sessions) != 1 {
			t.Errorf("%d sessions", len(sessions))
		}
	}
}

// TestGoodbyeTakesItsTime checks that callers wait once for a host that never
// answers QUIT.
func TestGoodbyeTakesItsTime(t *testing.T) {
	list := mailboxes(300, every(4), "a.example", "b.example") // for several sessions
	host := &peer{Say: at("QUIT", hangs)}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2, MaxWaitingPerHost: 300}, one(host), func(b *bubble) {
		answers := b.askAll(aboutAll(list))
		b.checkAnswered(answers, 0)
		for _, r := range answers {
			if r.took > 20*time.Second {
				b.Fatalf("took %v", r.took)
			}
		}
	})
}

// TestGoodbyeBehindARefusal sees that QUIT follows a refusing greeting at once,
// and that a host which has nothing more to say is not held for long.
func TestGoodbyeBehindARefusal(t *testing.T) {
	for _, greeting := range []string{"554 no SMTP service here", "421 4.3.2 too busy"} {
		host := smtptest.Script("S: " + greeting + "\nC: QUIT\nhang")
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			b.ask(b.Context(), about(target))
			begun := time.Now()
			if err := b.pool.Close(); err != nil || time.Since(begun) > 500*time.Millisecond {
				b.Errorf("%s: the pool closed after %v (%v)", greeting, time.Since(begun), err)
			}
		})
		if len(sessions) != 1 || sessions[0].Client != "QUIT\r\n" {
			t.Errorf("%s: %+v, want QUIT alone", greeting, sessions)
		}
	}
}

// TestDoubtedAnswerAndNoTime is about callers whose time is over when an answer
// comes that is not believed: they do not get it either.
func TestDoubtedAnswerAndNoTime(t *testing.T) {
	for _, end := range []func(context.Context) (context.Context, context.CancelFunc){cancelAfter(480 * time.Millisecond), deadlineAfter(480 * time.Millisecond)} {
		host := &peer{RCPTFunc: choosy, RCPTDelay: 100 * time.Millisecond}
		inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
			_ = b.ask(b.Context(), about("good@a.example")) // the control
			var wg sync.WaitGroup
			for i := range 5 {
				wg.Go(func() {
					ctx, cancel := end(b.Context())
					defer cancel()
					r := b.ask(ctx, about(fmt.Sprintf("bad%d@a.example", i)))
					if r.code() != 0 || r.last().Failure == nil {
						b.Errorf("%v\n%s", r, transcript(r.last()))
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestSlowMailboxes asks a host about 5,000 mailboxes, of which 2 % take three
// seconds: that takes half as long again as the sum of those, divided by the
// sessions of a list, at most, and the others are answered meanwhile. How large
// the transactions are depends on which of them end first, and so does how many
// proofs and canaries are named: what is bounded is the average of six.
func TestSlowMailboxes(t *testing.T) {
	const n, slowReply, roundTrip = 5000, 3 * time.Second, 50 * time.Millisecond
	list := mailboxes(n, living(80), "0.example", "1.example", "2.example", "3.example", "4.example", "5.example", "6.example")
	slow := map[string]bool{}
	for i, m := range list {
		slow[m] = i*7%50 == 3
	}
	named, ratios := 0, 0.0
	for _, together := range []bool{false, true} {
		for _, most := range []int{4, 10, 20} {
			// Each reply of a group comes when it is ready, or all together.
			host := &peer{GreetingDelay: roundTrip, Say: func(v *visit, c, _ string) string {
				if c != "" && c != "RSET" && !isRCPT(c) { // EHLO and MAIL come first in their group
					v.Sleep(roundTrip)
				}
				return ""
			}, RCPTFunc: func(v *visit, m string) string {
				switch {
				case slow[m] && together:
					time.Sleep(slowReply)
				case slow[m]:
					v.Sleep(slowReply)
				}
				return ""
			}}
			var all, sum time.Duration // until all are answered; of those that are not slow
			sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: most}, one(host), func(b *bubble) {
				for i, r := range b.askTogether(b.Context(), patient(aboutAll(list))) {
					if !checkVerdict(b.T, list[i], r) {
						b.Errorf("%s: %v", list[i], r)
					}
					if all = max(all, r.took); !slow[list[i]] {
						sum += r.took
					}
				}
			})
			ideal, mean := n/50*slowReply/time.Duration(pace.ForLists(most)), sum/(n-n/50)
			if mean > all*2/3 {
				t.Errorf("together %t, %d sessions: %v; the others after %v on average", together, most, all, mean)
			}
			ratios += float64(all) / float64(ideal)
			named += count(sessions, "RCPT")
		}
	}
	if each, took := float64(named)/(6*n), ratios/6; each > 1.1 || took > 1.4 {
		t.Errorf("%.2f RCPT a mailbox; it took %.2f of the slow ones' time", each, took)
	}
}
