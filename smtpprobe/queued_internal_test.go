//go:build !plan

package smtpprobe

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestWaitsAreToldInTurn checks that the beginning and the end of a wait are
// reported under the pool's lock: a caller that gives up at the moment of the
// answer would else hear of the end twice.
func TestWaitsAreToldInTurn(t *testing.T) {
	network := smtptest.NewNetwork()
	defer network.Close()
	network.Add("192.0.2.1", &smtptest.Host{CatchAll: true})
	pool, err := New(Config{Dialer: network, MaxSessionsPerHost: 1})
	if err != nil {
		t.Fatal(err)
	}
	var calls, waiting atomic.Int64
	queued := func(waits bool) {
		if pool.mu.TryLock() {
			defer pool.mu.Unlock()
			t.Errorf("told %t without the lock", waits)
		}
		calls.Add(1)
		waiting.Add(map[bool]int64{true: 1, false: -1}[waits])
	}
	hosts := []Host{{Name: "mx.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}}
	var all sync.WaitGroup
	for i := range 30 {
		req := Request{Hosts: hosts, Target: fmt.Sprintf("user%d@a.example", i), Control: "random@a.example", Queued: queued}
		all.Go(func() {
			if _, err := pool.Probe(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if calls.Load() < 2*30 || waiting.Load() != 0 {
		t.Errorf("told %d times; %d wait", calls.Load(), waiting.Load())
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhoGoesAlongStaysQueued sees that the first of a transaction waits no
// longer when it begins, and the others when it is over.
func TestWhoGoesAlongStaysQueued(t *testing.T) {
	for _, along := range []bool{false, true} {
		var told []bool
		a := newJob(route{}, &Request{Target: "a@b.example", Queued: func(waits bool) { told = append(told, waits) }}, &budget{})
		a.results = make(chan result, 1)
		a.queue(true)
		a.taken(nil, along)
		if waits := told[len(told)-1]; waits != along {
			t.Errorf("along %t: told that it waits: %t", along, waits)
		}
		a.finish(result{})
		if len(told) != 2 || told[1] {
			t.Errorf("along %t: told %v in all", along, told)
		}
	}
}
