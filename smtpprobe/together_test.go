package smtpprobe_test

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestTogetherEachGoesItsOwnWay sees that a request that cannot be made, or
// needs another mail host, or has one of its own, holds up nobody.
func TestTogetherEachGoesItsOwnWay(t *testing.T) {
	busy := &smtptest.Host{Greeting: "421 4.3.2 come back later"}
	hosts := map[string]smtptest.Handler{"192.0.2.1": busy, "192.0.2.2": checks(), "192.0.2.3": nil}
	list := mailboxes(40, every(2), "a.example")
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
				b.Errorf("%s: %v", requests[i].Target, r)
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

// TestTogetherNeedOneGoroutine holds what asking together is for.
func TestTogetherNeedOneGoroutine(t *testing.T) {
	host := checks()
	host.ReplyDelay = time.Second
	inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 500}, one(host), func(b *bubble) {
		before, during := runtime.NumGoroutine(), make(chan int, 1)
		time.AfterFunc(2500*time.Millisecond, func() { during <- runtime.NumGoroutine() })
		begun, list := goroutinesBegun(), mailboxes(300, every(5), "a.example")
		checkTruth(b.T, list, b.askTogether(b.Context(), aboutAll(list)))
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
