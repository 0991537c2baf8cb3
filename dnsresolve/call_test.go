package dnsresolve

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// TestWhoWaitsMayLeave checks that a caller that gives up is not held by
// another caller's query, nor by the queries before it.
func TestWhoWaitsMayLeave(t *testing.T) {
	for name, second := range map[string]string{"the same question": "example.test", "another": "mx.test"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(oneHost)
				world.Break(dnstest.Fault{Kind: dnstest.Lose})
				r := newTest(t, world)
				r.places = make(chan struct{}, 1)
				var first sync.WaitGroup
				first.Go(func() { r.look(t.Context(), "example.test", dns.TypeMX) })
				synctest.Wait()
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if a, _ := r.look(ctx, second, dns.TypeMX); a.status != StatusTimeout || time.Since(began) != time.Second {
					t.Errorf("status %q after %v", a.status, time.Since(began))
				}
				first.Wait()
			})
		})
	}
}

// TestALateAnswerIsKept checks that an answer serves the callers that wait, and
// later ones, although the caller that asked gave up at the same moment.
func TestALateAnswerIsKept(t *testing.T) {
	world := dnstest.New(oneHost)
	ctx, cancel := context.WithCancel(t.Context())
	r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, network, server string) (*dns.Msg, error) {
		cancel()
		return askWorld(t.Context(), world, query, network, server)
	}))
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if a, _ := r.look(ctx, "mx.test", dns.TypeA); a.status != StatusOK {
			t.Errorf("status %q, explained by %q", a.status, a.explain)
		}
	}
	if n := world.Count("", ""); n != 1 {
		t.Errorf("%d queries, want 1", n)
	}
}

// TestAPanicKeepsNobody checks that a panic in an exchanger reaches the caller
// that asked, and that others ask again.
func TestAPanicKeepsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, queries := dnstest.New(oneHost), 0
		r := newTest(t, exchangerFunc(func(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error) {
			time.Sleep(time.Second)
			if queries++; queries == 1 {
				panic("broken")
			}
			return askWorld(ctx, world, query, network, server)
		}))
		var callers sync.WaitGroup
		callers.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			r.look(t.Context(), "mx.test", dns.TypeA)
		})
		synctest.Wait()
		if a, _ := r.look(t.Context(), "mx.test", dns.TypeA); a.status != StatusOK {
			t.Errorf("status %q, explained by %q", a.status, a.explain)
		}
		callers.Wait()
		if len(r.calls)+len(r.places) != 0 {
			t.Errorf("%d questions and %d places are left", len(r.calls), len(r.places))
		}
		r.Close()
	})
}
