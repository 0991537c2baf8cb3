package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// party are requests that are made together.
type party struct {
	requests []smtpprobe.Request
	waiting  atomic.Int64 // of them: said to wait
}

// drawParty draws requests about a domain to hosts of which one is not there,
// and some have another address.
func drawParty(r *rand.Rand, domain string) *party {
	c := &party{}
	addr := func() string { return fmt.Sprintf("192.0.2.%d", 1+r.IntN(5)) }
	for n := range 5 + r.IntN(50) {
		req := about(fmt.Sprintf("%s%d@%s", []string{"good", "bad", "full", "odd"}[r.IntN(4)], n, domain), addr(), addr())
		req.Budget = time.Duration(1+r.IntN(20)) * time.Second
		req.Queued = func(waits bool) {
			if waits {
				c.waiting.Add(1)
				return
			}
			c.waiting.Add(-1)
		}
		if slow := time.Duration(1+r.IntN(2000)) * time.Millisecond; r.IntN(3) == 0 {
			req.Hosts[0].More = func(ctx context.Context) []netip.Addr {
				select {
				case <-time.After(slow):
				case <-ctx.Done():
				}
				return addrsOf("2001:db8::1")
			}
		}
		c.requests = append(c.requests, req)
	}
	return c
}

func drawHosts(r *rand.Rand) map[string]smtptest.Handler {
	hosts := map[string]smtptest.Handler{"2001:db8::1": whimsical(r)}
	for i := range 4 {
		addr, host := fmt.Sprintf("192.0.2.%d", i+1), whimsical(r)
		hosts[addr] = host
		switch r.IntN(12) {
		case 0, 1:
			hosts[addr] = &smtptest.Host{Greeting: "421 4.3.2 come back later"}
		case 2, 3:
			hosts[addr] = nil
		case 4, 5, 6, 7:
			host.wait = func(*visit, string) time.Duration { return 90 * time.Millisecond }
		}
	}
	return hosts
}

// ending is what happens to requests that are under way.
type ending int

const (
	cancels ending = iota
	expires
	poolCloses
	nothingEnds
)

// TestTogetherEndAtAnyMoment has parties ask hosts of all kinds of whims, and
// at some moment one or all of them give up, or have no time left, or the pool
// is closed. Each is told once, and soon; what was told for good is the truth;
// and nothing is left over.
func TestTogetherEndAtAnyMoment(t *testing.T) {
	for seed := range worlds(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { endAtAnyMoment(t, rand.New(rand.NewPCG(seed, 9))) })
	}
}

func endAtAnyMoment(t *testing.T, r *rand.Rand) {
	parties := []*party{drawParty(r, "a.example"), drawParty(r, "b.example"), drawParty(r, "c.example")}
	config := smtpprobe.Config{MaxSessionsPerHost: 1 + r.IntN(3), MaxSessions: 2 + r.IntN(10), MaxWaitingPerHost: 1 + r.IntN(60)}
	how, end, all := ending(r.IntN(4)), time.Duration(r.IntN(1<<(8+r.IntN(7))))*time.Millisecond, r.IntN(2) == 0
	inBubble(t, config, drawHosts(r), func(b *bubble) {
		var asking sync.WaitGroup
		for i, c := range parties {
			ctx, ends := b.Context(), i == 0 || all
			if how == cancels && ends {
				var cancel context.CancelFunc
				ctx, cancel = cancelAfter(end)(ctx)
				defer cancel()
			}
			if how == expires && ends {
				var cancel context.CancelFunc
				ctx, cancel = deadlineAfter(end)(ctx)
				defer cancel()
			}
			asking.Go(func() {
				for i, told := range b.askTogether(ctx, c.requests) {
					checkEnd(b.T, how, c.requests[i], told)
					if ctx.Err() != nil && told.took > end+grace+50*time.Millisecond {
						b.Errorf("%s: told %v after the end", c.requests[i].Target, told.took-end)
					}
				}
				if n := c.waiting.Load(); n != 0 {
					b.Errorf("%d are said to wait", n)
				}
			})
		}
		if how == poolCloses {
			time.Sleep(end)
			_ = b.pool.Close()
		}
		asking.Wait()
		time.Sleep(3 * time.Minute) // for the goodbyes
		synctest.Wait()
		if s := b.pool.Stats(); s.Waiting != 0 || s.Sessions != 0 || s.UnderWay != 0 {
			b.Errorf("left over: %+v", s)
		}
	})
}

// checkEnd checks what was told about a request that may have ended like this.
func checkEnd(t *testing.T, how ending, req smtpprobe.Request, r told) {
	t.Helper()
	switch {
	case r.err == nil && len(r.found.Sessions) == 0:
		t.Errorf("%s: no answer", req.Target)
	case r.err == nil, errors.Is(r.err, smtpprobe.ErrBusy):
	case how == cancels && errors.Is(r.err, context.Canceled), how == poolCloses && errors.Is(r.err, smtpprobe.ErrClosed):
	default:
		t.Errorf("%s: %v", req.Target, r.err)
	}
	if len(r.found.Sessions) > 0 {
		checkAgainstTruth(t, req, told{found: r.found})
	}
}

// lateContext is a context that ends a little later than its deadline says, as
// one does whose timer is not served first.
type lateContext struct {
	context.Context
	deadline time.Time
}

func (c lateContext) Deadline() (time.Time, bool) { return c.deadline, true }

// TestDeadlineInATransaction checks that callers whose mailboxes are being
// asked about when their deadline passes learn how far the session came, and
// not that there was none, even if the session notices the deadline first.
func TestDeadlineInATransaction(t *testing.T) {
	for name, host := range map[string]*smtptest.Host{
		"silent at RCPT":     {HangAt: smtp.PhaseRCPT},
		"silent at greeting": {HangAt: smtp.PhaseGreeting},
		"refuses everybody":  {RCPTDelay: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			host.GreetingDelay = 100 * time.Millisecond // all come meanwhile
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				const timeout = 1500 * time.Millisecond
				ctx, cancel := context.WithTimeout(b.Context(), timeout+time.Millisecond)
				defer cancel()
				late := lateContext{ctx, time.Now().Add(timeout)}
				for _, r := range b.askTogether(late, aboutAll(mailboxes(3, func(int) bool { return false }, "a.example"))) {
					if r.err != nil || len(r.found.Sessions) != 1 {
						b.Errorf("%s, %v", summaries(r.found), r.err)
					}
				}
			})
		})
	}
}

// TestDeadlineAtAHostThatTurned has a host refuse everybody, a mailbox that it
// had accepted among them. A caller whose deadline passes in that transaction,
// and that is not gone yet, must not take the refusal for one that counts.
func TestDeadlineAtAHostThatTurned(t *testing.T) {
	var turned atomic.Bool
	host := &smtptest.Host{RCPTDelay: 100 * time.Millisecond, RCPTFunc: func(rcpt string, _ int) string {
		if turned.Load() || !strings.HasPrefix(rcpt, "good") {
			return "550 5.1.1 no such user"
		}
		return "250 ok"
	}}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good0@a.example"))
		turned.Store(true)
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				asked := context.Context(ctx)
				if i == 0 {
					asked = lateContext{ctx, time.Now().Add(350 * time.Millisecond)}
				}
				r := b.ask(asked, about(fmt.Sprintf("good%d@a.example", i+1)))
				if last := r.last(); last.Target != nil && last.Target.Refused() && !last.Unproven {
					b.Errorf("good%d: %s (%v)\n%s", i+1, summaries(r.found), r.err, transcript(last))
				}
			})
		}
		wg.Wait()
	})
}
