package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestTogetherEachGoesItsOwnWay sees that a request that cannot be made, or
// needs another mail host, or has one of its own, holds up nobody.
func TestTogetherEachGoesItsOwnWay(t *testing.T) {
	busy := &smtptest.Host{Greeting: "421 4.3.2 come back later"}
	hosts := map[string]smtptest.Handler{"192.0.2.1": busy, "192.0.2.2": checks(), "192.0.2.3": nil}
	list := mailboxes(40, func(i int) bool { return i%2 == 0 }, "a.example")
	requests := aboutAll(list, "192.0.2.2")
	requests[3] = about("good3@b.example", "192.0.2.1", "192.0.2.2")
	requests[4] = about("bad4@b.example", "192.0.2.3", "192.0.2.2")
	requests[5] = about("good 5@b.example")
	requests[6] = smtpprobe.Request{Target: "bad6@b.example"}
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		for i, r := range b.askTogether(b.Context(), requests) {
			last, want := r.last(), 250
			if strings.HasPrefix(requests[i].Target, "bad") {
				want = 550
			}
			switch {
			case i == 5:
				if r.err == nil || !strings.Contains(r.err.Error(), "target") {
					b.Errorf("a target with a space: %v", r.err)
				}
			case i == 6:
				if r.err != nil || len(r.found.Sessions) > 0 {
					b.Errorf("without a host: %+v, %v", r.found, r.err)
				}
			case r.err != nil || last.Target == nil || last.Target.Code != want:
				b.Errorf("%s: %s (%v)", requests[i].Target, summaries(r.found), r.err)
			case i == 3 || i == 4:
				if len(r.found.Sessions) != 2 {
					b.Errorf("%s: %s", requests[i].Target, summaries(r.found))
				}
			case r.took > time.Second:
				b.Errorf("%s: held up for %v", requests[i].Target, r.took)
			}
		}
	})
}

// TestTogetherAskForMore sees that each asks a host that puts it off for more
// addresses of its own.
func TestTogetherAskForMore(t *testing.T) {
	hosts := map[string]smtptest.Handler{"192.0.2.1": &smtptest.Host{Greeting: "421 4.3.2 come back later"}, "2001:db8::1": checks()}
	requests := aboutAll(mailboxes(12, func(i int) bool { return i%2 == 0 }, "a.example"))
	asked := make(chan int, 100)
	for i := range requests {
		requests[i].Hosts = hostsAt("192.0.2.1")
		requests[i].Hosts[0].More = func(context.Context) []netip.Addr {
			asked <- i
			return addrsOf("2001:db8::1")
		}
	}
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		found := map[string]smtpprobe.Findings{}
		for i, r := range b.askTogether(b.Context(), requests) {
			found[requests[i].Target] = r.found
		}
		checkTruth(b.T, found)
	})
	close(asked)
	var all []int
	for i := range asked {
		all = append(all, i)
	}
	if slices.Sort(all); fmt.Sprint(all) != "[0 1 2 3 4 5 6 7 8 9 10 11]" {
		t.Errorf("%v asked for more", all)
	}
}

// TestTogetherNeedOneGoroutine holds what asking together is for.
func TestTogetherNeedOneGoroutine(t *testing.T) {
	host := checks()
	host.ReplyDelay = time.Second
	inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 500}, one(host), func(b *bubble) {
		before, during := runtime.NumGoroutine(), make(chan int, 1)
		time.AfterFunc(2500*time.Millisecond, func() { during <- runtime.NumGoroutine() })
		found, begun := map[string]smtpprobe.Findings{}, goroutinesBegun()
		list := mailboxes(300, func(i int) bool { return i%5 == 0 }, "a.example")
		for i, r := range b.askTogether(b.Context(), aboutAll(list)) {
			found[list[i]] = r.found
		}
		checkTruth(b.T, found)
		if more := <-during - before; more > 45 { // a few sessions with the host's ends of them, and the network's
			b.Errorf("%d goroutines for 300 requests", more)
		}
		if n := goroutinesBegun() - begun; n > 150 {
			b.Errorf("%d goroutines begun for 300 requests", n)
		}
	})
}

// goroutinesBegun is how many goroutines there have been.
func goroutinesBegun() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestTogetherGiveUp sees what becomes of those who are asked about, and of
// those who wait, when the context ends.
func TestTogetherGiveUp(t *testing.T) {
	later, end := 1500*time.Millisecond, context.WithTimeout
	for _, tt := range []struct {
		name    string
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		waiting error
	}{
		{"cancel", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(later, cancel)
			return ctx, cancel
		}, context.Canceled},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) { return end(ctx, later) }, smtpprobe.ErrBusy},
		{"cancelled before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &peer{wait: func(v *visit, _ string) time.Duration { return time.Duration(v.named) * time.Second }}
			inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
				ctx, done := tt.ctx(b.Context())
				defer done()
				waited, cut, heard := 0, 0, 0
				for _, r := range b.askTogether(ctx, aboutAll(mailboxes(60, func(int) bool { return false }, "a.example"))) {
					switch last := r.last(); {
					case r.took > later+200*time.Millisecond:
						b.Errorf("told after %v", r.took)
					case last.Target != nil:
						heard++
					case len(r.found.Sessions) > 0 && last.Failure != nil && (errors.Is(r.err, context.Canceled) || tt.waiting == smtpprobe.ErrBusy && r.err == nil):
						cut++
					case errors.Is(r.err, tt.waiting) && len(r.found.Sessions) == 0:
						waited++
					default:
						b.Errorf("%s, %v", summaries(r.found), r.err)
					}
				}
				if tt.name == "cancelled before" {
					cut = 60 - waited
				}
				if waited < 40 || waited+cut+heard != 60 || tt.name != "cancelled before" && cut+heard == 0 {
					b.Errorf("%d waited, %d were cut short, %d were told", waited, cut, heard)
				}
				synctest.Wait()
				if s := b.pool.Stats(); s.Waiting != 0 {
					b.Errorf("left over: %+v", s)
				}
			})
		})
	}
}

// TestTogetherWhenThePoolCloses sees that those who wait are told so.
func TestTogetherWhenThePoolCloses(t *testing.T) {
	host := checks()
	host.ReplyDelay = time.Second
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		time.AfterFunc(5500*time.Millisecond, func() { _ = b.pool.Close() })
		told, closed := 0, 0
		for _, r := range b.askTogether(b.Context(), aboutAll(mailboxes(200, func(int) bool { return false }, "a.example"))) {
			switch {
			case r.err == nil && r.last().Target != nil:
				told++
			case errors.Is(r.err, smtpprobe.ErrClosed):
				closed++
			default:
				b.Errorf("%s, %v", summaries(r.found), r.err)
			}
		}
		if told == 0 || closed == 0 {
			b.Errorf("%d told, %d closed", told, closed)
		}
	})
}
