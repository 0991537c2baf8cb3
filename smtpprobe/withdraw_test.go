package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// grace is how long a probe may take to notice the end of its context, when its
// session is busy with others.
const grace = 100 * time.Millisecond

// TestOneGivesUp has ten ask in one transaction, of whom one is cancelled or
// has little time, and sees that it comes back at once, with nothing of the
// others in its transcript, that the others are answered, and that nobody asks
// on its behalf again.
func TestOneGivesUp(t *testing.T) {
	slowly := func(v *visit, _ string) time.Duration {
		if v.mailed == 1 {
			return grace // all others come meanwhile, and are asked about at once
		}
		return time.Second
	}
	dies := func() *peer {
		return &peer{rcpt: after(6, once(func() string { return closes }))}
	}
	for _, tt := range []struct {
		name  string
		host  func() *peer
		end   func(context.Context) (context.Context, context.CancelFunc)
		err   error
		found string
	}{
		{"cancelled", func() *peer { return &peer{} }, cancelAfter(3500 * time.Millisecond), context.Canceled, "greeting 220, ehlo 250, failure cancelled at rcpt"},
		{"deadline", func() *peer { return &peer{} }, deadlineAfter(3500 * time.Millisecond), nil, "greeting 220, ehlo 250, failure timeout at rcpt"},
		{"cancelled, and the session dies", dies, cancelAfter(3500 * time.Millisecond), context.Canceled, "greeting 220, ehlo 250, failure cancelled at rcpt"},
		{"deadline, and the session dies", dies, deadlineAfter(3500 * time.Millisecond), nil, "greeting 220, ehlo 250, failure timeout at rcpt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := tt.host()
			host.wait = slowly
			sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				list := mailboxes(9, func(int) bool { return false }, "a.example")
				var wg sync.WaitGroup
				wg.Go(func() { _ = b.ask(b.Context(), about("good@a.example")) }) // the control
				synctest.Wait()
				for i, m := range list {
					ctx, cancel := b.Context(), context.CancelFunc(func() {})
					quitter := i == 6
					if quitter {
						ctx, cancel = tt.end(ctx)
					}
					wg.Go(func() {
						defer cancel()
						r := b.ask(ctx, about(m))
						switch {
						case !quitter && (r.err != nil || r.last().Target == nil || r.last().Target.Code != 250):
							b.Errorf("%s: %s (%v)", m, summaries(r.found), r.err)
						case quitter && (!errors.Is(r.err, tt.err) || summaries(r.found) != tt.found || r.took > 3500*time.Millisecond+grace):
							b.Errorf("gave up: %s (%v) after %v", summaries(r.found), r.err, r.took)
						case quitter:
							checkPrivate(t, m, r.found)
						}
					})
				}
				wg.Wait()
			})
			if n := count(sessions, "RCPT TO:<good6@"); n > 1 {
				t.Errorf("the mailbox of the caller that gave up was named %d times, in %d sessions", n, len(sessions))
			}
		})
	}
}

func cancelAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(d, cancel)
		return ctx, cancel
	}
}

func deadlineAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

// checkPrivate sees that a transcript names nobody but the mailbox and its
// domain's control.
func checkPrivate(t *testing.T, mailbox string, f smtpprobe.Findings) {
	t.Helper()
	for _, s := range f.Sessions {
		recipients := make(map[string]bool) // either may be asked about twice
		for _, line := range s.Transcript {
			if strings.HasPrefix(line.Text, "RCPT") {
				recipients[line.Text] = true
			}
			if strings.HasPrefix(line.Text, "RCPT TO:<good") && !strings.Contains(line.Text, mailbox) {
				t.Errorf("%s can read %q", mailbox, line.Text)
			}
		}
		if len(recipients) > 2 {
			t.Errorf("%s can read of %d recipients", mailbox, len(recipients))
		}
	}
}

// TestTranscriptsArePrivate checks that requests which share a session do not
// read of each other.
func TestTranscriptsArePrivate(t *testing.T) {
	for name, host := range map[string]*peer{
		"answered": {},
		"silent":   {rcpt: after(7, always(hangs))},
		"dies":     {rcpt: after(7, always(closes))},
		"421":      {rcpt: after(7, always("421 enough"))},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := crowd(t, smtpprobe.Config{}, host, mailboxes(40, func(int) bool { return false }, "a.example", "b.example"))
			for m, f := range found {
				checkPrivate(t, m, f)
			}
		})
	}
}

// TestDesertedSessionEnds sees that a session about which nobody cares any more
// ends at once, in whatever phase, and with QUIT where that can be.
func TestDesertedSessionEnds(t *testing.T) {
	for _, at := range silentAt {
		t.Run(at.found+string(at.phase), func(t *testing.T) {
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(at.host), func(b *bubble) {
				ctx, cancel := context.WithCancel(b.Context())
				var wg sync.WaitGroup
				for i := range 5 {
					wg.Go(func() {
						if r := b.ask(ctx, about(fmt.Sprintf("good%d@a.example", i))); !errors.Is(r.err, context.Canceled) || r.took > time.Second+grace {
							b.Errorf("%s (%v) after %v", summaries(r.found), r.err, r.took)
						}
					})
				}
				synctest.Wait()
				time.Sleep(time.Second)
				cancel()
				wg.Wait()
				time.Sleep(4 * time.Second) // QUIT
				synctest.Wait()
				if n := b.gauges.now(); n != 0 {
					b.Errorf("%d connections are open", n)
				}
			})
		})
	}
}

// TestNobodyWaitsAnyMore: a session that is slow over many recipients ends,
// with QUIT, when the last who asked has given up.
func TestNobodyWaitsAnyMore(t *testing.T) {
	const deadline, wait = 10 * time.Second, 9 * time.Second
	host := &peer{wait: func(*visit, string) time.Duration { return wait }}
	var took time.Duration
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		ctx, cancel := context.WithTimeout(b.Context(), deadline)
		defer cancel()
		var all sync.WaitGroup
		for _, req := range aboutAll(mailboxes(10, func(int) bool { return false }, "a.example")) {
			all.Go(func() { b.ask(ctx, req) })
		}
		all.Wait()
		began := time.Now()
		if err := b.pool.Close(); err != nil {
			b.Error(err)
		}
		took = time.Since(began)
	})
	if took > 4*time.Second { // QUIT has three
		t.Errorf("closing took %v", took)
	}
	for _, session := range sessions {
		if !session.QUIT {
			t.Errorf("a session without QUIT: %q", session.Commands)
		}
	}
}
