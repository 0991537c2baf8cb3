package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// grace is how long a probe may take to notice the end of its context, when its
// session is busy with others.
const grace = 100 * time.Millisecond

// TestOneGivesUp has ten ask in one transaction, of which one is cancelled or
// has little time, and sees that it comes back at once, with nothing of the
// others in its transcript, that the others are answered, and that nobody asks
// on its behalf again.
func TestOneGivesUp(t *testing.T) {
	const after3 = 3500 * time.Millisecond
	for _, tt := range []struct {
		name  string
		rcpt  func() func(*visit, string) string
		end   func(context.Context) (context.Context, context.CancelFunc)
		err   error
		found string
	}{
		{"cancelled", nil, cancelAfter(after3), context.Canceled, "failure cancelled at rcpt"},
		{"deadline", nil, deadlineAfter(after3), context.DeadlineExceeded, "failure cancelled at rcpt"},
		{"cancelled, and the session dies", hangsUpOnce, cancelAfter(after3), context.Canceled, "failure cancelled at rcpt"},
		{"deadline, and the session dies", hangsUpOnce, deadlineAfter(after3), context.DeadlineExceeded, "failure cancelled at rcpt"},
		{"limit", nil, nil, nil, "failure limited at rcpt"},
		{"limit, and the session dies", hangsUpOnce, nil, nil, "failure limited at rcpt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dies := after(1000, nil)
			if tt.rcpt != nil {
				dies = tt.rcpt()
			}
			host := &peer{RCPTFunc: func(v *visit, m string) string {
				wait := time.Second
				if v.Mailed == 1 {
					wait = grace // all others come meanwhile, and are asked about at once
				}
				v.Sleep(wait)
				return dies(v, m)
			}}
			sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				var wg sync.WaitGroup
				wg.Go(func() { _ = b.ask(b.Context(), about("good@a.example")) }) // the control
				synctest.Wait()
				for i, m := range mailboxes(9, none, "a.example") {
					ctx, cancel := b.Context(), context.CancelFunc(func() {})
					quitter := i == 6
					req := about(m)
					switch {
					case quitter && tt.end == nil:
						req.Budget = after3
					case quitter:
						ctx, cancel = tt.end(ctx)
					}
					wg.Go(func() {
						defer cancel()
						r := b.ask(ctx, req)
						switch {
						case !quitter && (r.err != nil || r.code() != 250):
							b.Errorf("%s: %v", m, r)
						case quitter && (!errors.Is(r.err, tt.err) || summaries(r.found) != "greeting 220, ehlo 250, "+tt.found || r.took > after3+grace):
							b.Errorf("gave up: %v after %v", r, r.took)
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

// hangsUpOnce is a host that does so after six recipients.
func hangsUpOnce() func(*visit, string) string {
	return after(6, once(func() string { return closes }))
}

// TestTranscriptsArePrivate checks that requests which share a session do not
// read of each other.
func TestTranscriptsArePrivate(t *testing.T) {
	for name, host := range map[string]*peer{
		"answered": {},
		"silent":   {RCPTFunc: after(7, always(hangs))},
		"dies":     {RCPTFunc: after(7, always(closes))},
		"421":      {RCPTFunc: after(7, always("421 enough"))},
	} {
		t.Run(name, func(t *testing.T) {
			list := mailboxes(40, none, "a.example", "b.example")
			answers, _ := crowd(t, smtpprobe.Config{}, host, list)
			for i, r := range answers {
				checkPrivate(t, list[i], r.found)
			}
		})
	}
}

// TestDesertedSessionEnds sees that a session about which nobody cares any more
// ends at once, in whatever phase, and with QUIT where that can be.
func TestDesertedSessionEnds(t *testing.T) {
	hosts := map[string]smtptest.Handler{"slow over many": &peer{RCPTDelay: 9 * time.Second}}
	for _, at := range silentAt {
		hosts[at.found+string(at.phase)] = at.host
	}
	for name, host := range hosts {
		ends := []func(context.Context) (context.Context, context.CancelFunc){cancelAfter(time.Second)}
		ends = append(ends, deadlineAfter(time.Second))
		for _, end := range ends {
			t.Run(name, func(t *testing.T) {
				sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
					ctx, cancel := end(b.Context())
					defer cancel()
					var wg sync.WaitGroup
					for _, req := range aboutAll(mailboxes(5, none, "a.example")) {
						wg.Go(func() {
							if r := b.ask(ctx, req); r.took > time.Second+grace {
								b.Errorf("%v after %v", r, r.took)
							}
						})
					}
					wg.Wait()
					time.Sleep(4 * time.Second) // QUIT
					synctest.Wait()
					if n := b.gauges.now(); n != 0 {
						b.Errorf("%d connections are open", n)
					}
				})
				if name == "slow over many" && !sessions[0].QUIT {
					t.Errorf("a session without QUIT: %q", sessions[0].Commands)
				}
			})
		}
	}
}

// TestLimitInATransaction checks that callers whose mailboxes are being asked
// about when their time is over learn how far the session came, and not that
// there was none.
func TestLimitInATransaction(t *testing.T) {
	for name, host := range map[string]*smtptest.Host{
		"silent at RCPT":     {RCPT: smtptest.Hangs},
		"silent at greeting": {Greeting: smtptest.Hangs},
		"refuses everybody":  {RCPTDelay: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			host.GreetingDelay = 100 * time.Millisecond // all come meanwhile
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				requests := aboutAll(mailboxes(3, none, "a.example"))
				for i := range requests {
					requests[i].Budget = 1500 * time.Millisecond
				}
				for _, r := range b.askTogether(b.Context(), requests) {
					if r.err != nil || len(r.found.Sessions) != 1 {
						b.Errorf("%s, %v", summaries(r.found), r.err)
					}
				}
			})
		})
	}
}

// TestLimitAtAHostThatTurned has a host refuse everybody, a mailbox that it had
// accepted among them. A caller whose time is over in that transaction must not
// take the refusal for one that counts.
func TestLimitAtAHostThatTurned(t *testing.T) {
	var turned atomic.Bool
	host := &smtptest.Host{RCPTDelay: 100 * time.Millisecond, RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
		if turned.Load() || !strings.HasPrefix(rcpt, "good") {
			return "550 5.1.1 no such user"
		}
		return "250 ok"
	}}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good0@a.example"))
		turned.Store(true)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				req := about(fmt.Sprintf("good%d@a.example", i+1))
				if i == 0 {
					req.Budget = 350 * time.Millisecond
				}
				r := b.ask(b.Context(), req)
				if last := r.last(); last.Target != nil && last.Target.Refused() && !last.Unproven {
					b.Errorf("good%d: %v\n%s", i+1, r, transcript(last))
				}
			})
		}
		wg.Wait()
	})
}
