//go:build unix

package jobs

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// brokenNetwork is a network that works or not, as a test wants it.
type brokenNetwork struct{ broken atomic.Bool }

func (b *brokenNetwork) fault() headway.Fault {
	if b.broken.Load() {
		return headway.NoResolver
	}
	return ""
}

// noDNS is what comes of an address when no DNS server answers.
func noDNS(email string) rcpt.Result {
	r := greylisted(email)
	r.Reason = rcpt.ReasonDNSTemporary
	return r
}

// TestNetworkFails: a list waits for longer than its retry window while the
// network does not work, says so, and goes on by itself.
func TestNetworkFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		atStart bool
	}{{"since before the list came", true}, {"in the middle of the list", false}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var network brokenNetwork
				var breaks sync.Once
				network.broken.Store(c.atStart)
				h := &hosts{}
				h.answer = func(_ context.Context, email string, times int) rcpt.Result {
					if !c.atStart && times == 1 && strings.HasPrefix(email, "box1") {
						time.Sleep(5 * time.Second)
						breaks.Do(func() { network.broken.Store(true) })
					}
					switch {
					case network.broken.Load():
						return noDNS(email)
					case strings.HasPrefix(email, "box2") && times == 1:
						return greylisted(email)
					}
					return fine(email)
				}
				n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h, Network: network.fault})
				j := n.create(manyAddresses(300, func(i int) string { return "acme.example" }), Request{})
				time.Sleep(45 * time.Minute) // longer than the retry window
				now := n.job(j.ID)
				way, err := n.Headway(t.Context(), now)
				check(t, err)
				if now.State.Ended() || now.Results["unknown"] > 0 {
					t.Errorf("after 45 minutes: %+v", now)
				}
				if len(way.Waiting) == 0 || way.Waiting[0].For != headway.ForNetwork || way.Waiting[0].Addresses != 300-now.Done || way.Left >= 0 || way.Rate != 0 {
					t.Errorf("it says %+v", way)
				}
				network.broken.Store(false)
				if now = n.untilDone(j.ID); now.Results["deliverable"] != 300 {
					t.Errorf("at the end: %+v", now)
				}
				if times := h.times("box3@acme.example"); times > 2 {
					t.Errorf("one was asked about %d times", times)
				}
			})
		})
	}
}

// TestRetryWindowStandsStill: the time without a network does not count against
// the time for which an address is asked about again.
func TestRetryWindowStandsStill(t *testing.T) {
	var n network
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	n.outages = []outage{{at(10), at(20)}, {at(30), at(35)}, {from: at(50)}}
	for _, c := range []struct{ from, to, want int }{
		{0, 5, 0}, {0, 15, 5}, {0, 25, 10}, {15, 25, 5}, {12, 14, 2}, {20, 30, 0}, {0, 40, 15}, {0, 60, 25}, {55, 60, 5},
	} {
		if got := n.downWithin(at(c.from), at(c.to)); got != time.Duration(c.want)*time.Minute {
			t.Errorf("from %d to %d: %v, want %d min", c.from, c.to, got, c.want)
		}
	}
}

// TestOtherNodeGoesOn: a node without a network gives back what it has, and
// another works on the list.
func TestOtherNodeGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network brokenNetwork
		s := openStore(t, store.Options{DataDir: t.TempDir()})
		slow := &hosts{answer: func(ctx context.Context, email string, _ int) rcpt.Result {
			select {
			case <-time.After(time.Hour):
			case <-ctx.Done():
			}
			return noDNS(email)
		}}
		n := newNode(t, s, Config{Verifier: slow, Network: network.fault})
		j := n.create(manyAddresses(300, func(int) string { return "acme.example" }), Request{})
		time.Sleep(5 * time.Second)
		network.broken.Store(true)
		time.Sleep(5 * time.Second)
		left, err := s.LeaseBatches(t.Context(), rows.BatchQuery{Job: j.ID, Node: "another", Limit: 10})
		check(t, err)
		sum := 0
		for _, b := range left {
			sum += b.Addresses
		}
		if sum != 300 {
			t.Errorf("another node gets %d addresses", sum)
		}
		check(t, s.LeaveJobs(t.Context(), "another"))
	})
}
