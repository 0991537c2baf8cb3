//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// lostNode takes batches of every job as a node that is killed leaves them.
func lostNode(t *testing.T, s *store.Store, clock *testkit.Clock, job string) {
	t.Helper()
	check(t, s.JoinJobs(t.Context(), "lost", "", clock.Now().Add(DefaultLease)))
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

// unsure is a store that commits some leases and says that they failed.
type unsure struct {
	*store.Store
	calls  atomic.Int64
	failed atomic.Int64
}

func (s *unsure) LeaseBatches(ctx context.Context, q rows.BatchQuery) ([]rows.Batch, error) {
	some, err := s.Store.LeaseBatches(ctx, q)
	if err == nil && len(some) > 0 && s.calls.Add(1)%3 == 2 {
		s.failed.Add(1)
		return nil, fmt.Errorf("%w: the connection broke behind the commit", rows.ErrUnavailable)
	}
	return some, err
}

// TestLeaseOfUnknownOutcome: batches that a node has leased without learning of
// it are worked on all the same, by a node that goes on living, and no address
// is asked about twice.
func TestLeaseOfUnknownOutcome(t *testing.T) {
	s := &unsure{Store: openStore(t, store.Options{DataDir: t.TempDir()})}
	h := &hosts{}
	n := newNode(t, s.Store, Config{Store: s, Verifier: h, Window: 600})
	domain := func(i int) string { return fmt.Sprintf("d%d.example", i%3) }
	j := n.untilDone(n.create(manyAddresses(4000, domain), Request{}).ID)
	if s.failed.Load() == 0 {
		t.Error("no lease failed")
	}
	if h.total() != int(j.Addresses) {
		t.Errorf("%d questions about %d addresses", h.total(), j.Addresses)
	}
}

// TestPausedAsItLeases: a job that was paused while batches were leased has
// them when it goes on.
func TestPausedAsItLeases(t *testing.T) {
	s := &interrupted{Store: openStore(t, store.Options{DataDir: t.TempDir()}), leased: make(chan struct{})}
	n := newNode(t, s.Store, Config{Store: s, Verifier: &hosts{}})
	j := n.create(manyAddresses(100, func(int) string { return "acme.example" }), Request{})
	<-s.leased
	for _, what := range []Change{Pause, Resume} {
		_, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, what)
		check(t, err)
	}
	n.untilDone(j.ID)
}

// interrupted is a store whose first lease is committed, and ends with the
// context.
type interrupted struct {
	*store.Store
	once   atomic.Bool
	leased chan struct{}
}

func (s *interrupted) LeaseBatches(ctx context.Context, q rows.BatchQuery) ([]rows.Batch, error) {
	some, err := s.Store.LeaseBatches(ctx, q)
	if err != nil || len(some) == 0 || s.once.Swap(true) {
		return some, err
	}
	close(s.leased)
	<-ctx.Done()
	return nil, errors.Join(rows.ErrUnavailable, ctx.Err())
}
