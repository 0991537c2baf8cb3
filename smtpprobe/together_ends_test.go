package smtpprobe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestTogetherEndAtAnyMoment has groups ask hosts of all kinds of whims, and at some moment gives up, or has no time left, or closes the pool. Each is told
// once, and soon; what was told for good is the truth; and nothing is left over.
func TestTogetherEndAtAnyMoment(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			hosts := map[string]smtptest.Handler{}
			for i := range 4 {
				host := whimsical(r)
				if r.IntN(2) == 0 {
					host.wait = func(*visit, string) time.Duration { return 90 * time.Millisecond }
				}
				var handler smtptest.Handler = host
				switch r.IntN(6) {
				case 0:
					handler = &smtptest.Host{Greeting: "421 4.3.2 come back later"}
				case 1:
					handler = nil
				}
				hosts[fmt.Sprintf("192.0.2.%d", i+1)] = handler
			}
			hosts["2001:db8::1"] = whimsical(r)
			var waiting atomic.Int64
			var groups [3][]smtpprobe.Request
			for g := range groups {
				for n := range 5 + r.IntN(50) {
					addr := func() string { return fmt.Sprintf("192.0.2.%d", 1+r.IntN(5)) }
					kind := []string{"good", "bad", "full", "odd"}[r.IntN(4)]
					req := about(fmt.Sprintf("%s%d@d%d.example", kind, n, g), addr(), addr())
					req.Queued = func(waits bool) {
						if waits {
							waiting.Add(1)
							return
						}
						waiting.Add(-1)
					}
					if r.IntN(3) == 0 {
						slow := time.Duration(r.IntN(2000)) * time.Millisecond
						req.Hosts[0].More = func(ctx context.Context) []netip.Addr {
							select {
							case <-time.After(slow):
							case <-ctx.Done():
							}
							return addrsOf("2001:db8::1")
						}
					}
					req.Budget = time.Duration(1+r.IntN(20)) * time.Second
					groups[g] = append(groups[g], req)
				}
			}
			config := smtpprobe.Config{MaxSessionsPerHost: 1 + r.IntN(3), MaxSessions: 2 + r.IntN(10), MaxWaitingPerHost: 1 + r.IntN(60)}
			end := time.Duration(r.IntN(1<<(8+r.IntN(7)))) * time.Millisecond
			how := r.IntN(4)
			inBubble(t, config, hosts, func(b *bubble) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				switch how {
				case 0:
					time.AfterFunc(end, cancel)
				case 1:
					ctx, cancel = context.WithTimeout(ctx, end)
					defer cancel()
				case 2:
					time.AfterFunc(end, func() { _ = b.pool.Close() })
				}
				done := make(chan struct{}, len(groups))
				for _, requests := range groups {
					go func() {
						for i, r := range b.askTogether(ctx, requests) {
							checkEnd(b.T, how, requests[i], r)
							if how < 2 && r.took > end+150*time.Millisecond {
								b.Errorf("%s: told %v after the end", requests[i].Target, r.took-end)
							}
						}
						done <- struct{}{}
					}()
				}
				for range groups {
					<-done
				}
				synctest.Wait()
				if s := b.pool.Stats(); s.Waiting != 0 || waiting.Load() != 0 {
					b.Errorf("left over: %+v, %d waiting", s, waiting.Load())
				}
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				if s := b.pool.Stats(); s.Waiting != 0 || s.Sessions != 0 || s.UnderWay != 0 {
					b.Errorf("left over at last: %+v", s)
				}
			})
		})
	}
}

func checkEnd(t *testing.T, how int, req smtpprobe.Request, r told) {
	t.Helper()
	switch {
	case r.err == nil:
		if len(r.found.Sessions) == 0 {
			t.Errorf("%s: no answer", req.Target)
		}
	case how == 0 && errors.Is(r.err, context.Canceled), how == 2 && errors.Is(r.err, smtpprobe.ErrClosed), errors.Is(r.err, smtpprobe.ErrBusy):
	default:
		t.Errorf("%s: %v", req.Target, r.err)
	}
	r.err = nil
	if len(r.found.Sessions) > 0 {
		checkAgainstTruth(t, req, r)
	}
}
