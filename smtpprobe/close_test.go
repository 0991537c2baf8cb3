package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestClose sees that a pool ends its sessions with QUIT in bounded time, and
// answers those who wait.
func TestClose(t *testing.T) {
	busy := &peer{RCPTDelay: time.Second}
	hosts := map[string]smtptest.Handler{
		"192.0.2.1": busy, "192.0.2.2": &peer{}, "192.0.2.4": &smtptest.Host{Greeting: "554 no"},
		"192.0.2.3": smtptest.Script(group + "S: 250 ok\nS: 250 yes\nS: 550 5.1.1 no\nS: 250 reset\nhang"),
	}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, hosts, func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example", "192.0.2.4"))
		for _, addr := range []string{"192.0.2.2", "192.0.2.3"} {
			if r := b.ask(b.Context(), about("good@a.example", addr)); r.last().Target == nil {
				b.Errorf("%s: %s", addr, summaries(r.found))
			}
		}
		var wg sync.WaitGroup
		answers := make([]told, 20)
		for i := range answers {
			wg.Go(func() { answers[i] = b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i))) })
			synctest.Wait() // the first is under way, the others wait
		}
		start := time.Now()
		if err := b.pool.Close(); err != nil {
			b.Error(err)
		}
		if took := time.Since(start); took > 4*time.Second {
			b.Errorf("Close took %v", took)
		}
		wg.Wait()
		for i, r := range answers {
			if i == 0 && (r.err != nil || r.last().Target == nil) {
				b.Errorf("under way: %v", r)
			}
			if i > 0 && !errors.Is(r.err, smtpprobe.ErrClosed) {
				b.Errorf("%d, that waited: %v", i, r)
			}
		}
		for _, addr := range []string{"192.0.2.1", "192.0.2.4"} { // nor does it answer from memory
			if r := b.ask(b.Context(), about("good@a.example", addr)); !errors.Is(r.err, smtpprobe.ErrClosed) {
				b.Errorf("after Close: %v", r)
			}
		}
		if err := b.pool.Close(); err != nil {
			b.Errorf("closed twice: %v", err)
		}
	})
	for _, s := range sessions {
		if !s.QUIT {
			t.Errorf("no QUIT: %q", s.Client)
		}
	}
}

// TestCloseDoesNotWaitForAHostThatIsSilent sees that a question under way has
// its own time, and no more.
func TestCloseDoesNotWaitForAHostThatIsSilent(t *testing.T) {
	for name, script := range map[string]string{"greeting": "hang", "RCPT": group + "S: 250 ok\nhang"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, smtpprobe.Config{}, one(smtptest.Script(script)), func(b *bubble) {
				ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
				defer cancel()
				go func() { _ = b.ask(ctx, about("good@a.example")) }()
				synctest.Wait()
				start := time.Now()
				if err := b.pool.Close(); err != nil {
					b.Error(err)
				}
				if took := time.Since(start); took > 9*time.Second {
					b.Errorf("Close took %v", took)
				}
			})
		})
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
