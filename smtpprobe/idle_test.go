package smtpprobe_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestNobodyWaitsForAGoodbye has a host end an idle session that a request
// would have had, with 421 or by hanging up. The request gets another one
// before the host answers QUIT, and the host is not taken for one that has had
// enough of a transaction: its next session serves one after the other.
func TestNobodyWaitsForAGoodbye(t *testing.T) {
	for _, ends := range []string{"421 enough", ""} {
		host := &peer{}
		host.After = func(v *visit, c string) string {
			if v.Number > 1 || c != "RSET" {
				return ""
			}
			time.Sleep(time.Second)
			if ends == "" {
				return closes
			}
			return ends
		}
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			for i := range 4 {
				r := b.ask(b.Context(), about("good@a.example"))
				if r.code() != 250 || len(r.found.Sessions) != 1 || r.took > time.Second {
					b.Errorf("%d: %v after %v", i, r, r.took)
				}
				time.Sleep(2 * time.Second)
			}
		})
		if len(sessions) != 2 {
			t.Errorf("%q: %d sessions, want 2", ends, len(sessions))
		}
	}
}

// TestEachIdleSessionEndsInItsTime sees that nobody has to come for an idle
// session to end, and that the end of one is not forgotten over that of
// another.
func TestEachIdleSessionEndsInItsTime(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, nil, func(b *bubble) {
		began := time.Now()
		for _, step := range []struct {
			at   time.Duration
			ask  string
			idle int // just before
		}{
			{0, "192.0.2.1", 0}, {2 * time.Second, "192.0.2.2", 1}, {4900 * time.Millisecond, "", 2}, {5100 * time.Millisecond, "", 1},
			{6900 * time.Millisecond, "", 1}, {7100 * time.Millisecond, "", 0}, {20 * time.Second, "192.0.2.3", 0},
			{24900 * time.Millisecond, "", 1}, {25100 * time.Millisecond, "", 0},
		} {
			time.Sleep(time.Until(began.Add(step.at)))
			synctest.Wait()
			if n, open := b.pool.Stats().Idle, b.gauges.now(); n != step.idle || open != n {
				b.Errorf("after %v: %d are idle and %d open, want %d", step.at, n, open, step.idle)
			}
			if step.ask != "" {
				b.network.Add(step.ask, good())
				b.checkAnswered([]told{b.ask(b.Context(), about(target, step.ask))}, 250)
			}
		}
	})
}

// TestIdleSessionsOutliveDoubt sees that a mailbox which is to be asked about
// in a session of its own takes a new one, and that the sessions that rest stay
// for others.
func TestIdleSessionsOutliveDoubt(t *testing.T) {
	host := slow(time.Second, 0, 0)
	host.Mailboxes["odd"] = "451 4.3.0 Temporary lookup failure"
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { _ = b.ask(b.Context(), about(target)) }) // a new session each 300 ms
		}
		wg.Wait()
		r := b.ask(b.Context(), about("odd@example.com"))
		if got := summaries(r.found); got != "greeting 220, ehlo 250, mail 250, target 451, control 550" || r.took > 1100*time.Millisecond {
			b.Errorf("found %s (%v) after %v", got, r.err, r.took)
		}
		synctest.Wait()
		if n := b.pool.Stats().Idle; n != 4 {
			b.Errorf("%d sessions are idle, want 4", n)
		}
	})
	if len(sessions) != 4 {
		t.Errorf("%d sessions, want 4", len(sessions))
	}
}
