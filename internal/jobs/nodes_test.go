//go:build unix

package jobs

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/store"
	"github.com/rcpt/rcpt/internal/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// lostNode takes batches of every job as a node that is killed leaves them.
func lostNode(t *testing.T, s *store.Store, clock *testkit.Clock, job string) {
	t.Helper()
	check(t, s.JoinJobs(t.Context(), "lost", clock.Now().Add(DefaultLease)))
	for leased := 0; leased < 3; {
		some, err := s.LeaseBatches(t.Context(), store.BatchQuery{Job: job, Node: "lost", Limit: 3 - leased})
		if check(t, err); len(some) == 0 {
			t.Fatal("no batch can be leased")
		}
		leased += len(some)
	}
}

// TestLostNode: what a lost node had is taken over when its lease has run out.
func TestLostNode(t *testing.T) {
	cluster := storetest.Start(t)
	clock := testkit.NewClock(time.Now())
	s := openStore(t, store.Options{DatabaseURL: cluster.Database(t), Now: clock.Now})
	h, letGo := stuck(func(string) bool { return true })
	idle, err := New(Config{Store: s, Verifier: h, TempDir: t.TempDir(), Now: clock.Now})
	check(t, err)
	check(t, idle.Join(t.Context()))
	other := &node{Manager: idle, t: t, store: s}
	j := other.create(manyAddresses(5000, func(i int) string { return fmt.Sprintf("d%d.example", i%3) }), Request{})
	lostNode(t, s, clock, j.ID)
	n := newNode(t, s, Config{Verifier: h, Now: clock.Now})
	testkit.Eventually(t, "the rest is asked", func() bool { return h.total() > 0 })
	letGo()
	testkit.Eventually(t, "the rest is done", func() bool { return n.job(j.ID).Done == 3500 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // time goes on, and the node is alive
		for ctx.Err() == nil {
			clock.Advance(time.Second)
			_ = n.Join(ctx)
			time.Sleep(10 * time.Millisecond)
		}
	}()
	n.untilDone(j.ID)
}
