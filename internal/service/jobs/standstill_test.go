//go:build unix

package jobs

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// late is a store whose first lease comes when the run that asked for it was
// told to stop.
type late struct {
	*store.Store
	once   atomic.Bool
	leased chan struct{}
}

func (s *late) LeaseBatches(ctx context.Context, q rows.BatchQuery) ([]rows.Batch, error) {
	some, err := s.Store.LeaseBatches(ctx, q)
	if err == nil && len(some) > 0 && !s.once.Swap(true) {
		close(s.leased)
		<-ctx.Done()
		time.Sleep(time.Second)
	}
	return some, err
}

// TestLeaseOfARunThatEnds: what is leased while a run is stopped is given back,
// and nobody waits for it.
func TestLeaseOfARunThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &late{Store: openStore(t, store.Options{DataDir: t.TempDir()}), leased: make(chan struct{})}
		n := newNode(t, s.Store, Config{Store: s, Verifier: &hosts{}})
		j := n.create(manyAddresses(1000, func(int) string { return "acme.example" }), Request{})
		<-s.leased
		began := time.Now()
		_, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Pause)
		if took := time.Since(began); err != nil || took > 2*time.Second {
			t.Errorf("the pause took %v: %v", took, err)
		}
		_, err = n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Resume)
		check(t, err)
		n.untilDone(j.ID)
	})
}

// TestVerificationsThatDoNotEnd: a pause is answered all the same, the job goes
// on without them, and what they bring later is not counted.
func TestVerificationsThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hosts{answer: func(_ context.Context, email string, times int) rcpt.Result {
			if times == 1 && strings.HasPrefix(email, "box1") {
				time.Sleep(10 * time.Minute) // whatever its context says
			}
			return fine(email)
		}}
		n := alone(t, h)
		j := n.create(manyAddresses(20, func(int) string { return "acme.example" }), Request{})
		other := n.create("a@other.example\n", Request{})
		time.Sleep(10 * time.Second)
		began := time.Now()
		for _, what := range []Change{Pause, Resume} {
			_, err := n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, what)
			check(t, err)
		}
		if took := time.Since(began); took > schedule.StopWithin+time.Second {
			t.Errorf("the changes took %v", took)
		}
		n.untilDone(other.ID)
		time.Sleep(30*time.Second + schedule.StopWithin + time.Second)
		if now := n.untilDone(j.ID); now.Done != 20 || now.Finished.Sub(began) > time.Minute {
			t.Errorf("%+v", now)
		}
		time.Sleep(15 * time.Minute)
		if err := n.Fault(); err != nil || n.job(j.ID).Done != 20 {
			t.Error(n.job(j.ID).Done, err)
		}
	})
}

// hung is a store in which a commit of results never returns while it is shut.
type hung struct {
	*store.Store
	shut  chan struct{} // until it is closed
	joins atomic.Int64
}

func (s *hung) SettleBatches(ctx context.Context, node string, all []rows.Settlement) ([]bool, error) {
	<-s.shut
	return s.Store.SettleBatches(ctx, node, all)
}

func (s *hung) JoinJobs(ctx context.Context, node, egress string, until time.Time) error {
	s.joins.Add(1)
	return s.Store.JoinJobs(ctx, node, egress, until)
}

// TestStandstill: a node that stands still says so, is no longer announced, and
// is again when it goes on.
func TestStandstill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &hung{Store: openStore(t, store.Options{DataDir: t.TempDir()}), shut: make(chan struct{})}
		n := newNode(t, s.Store, Config{Store: s, Verifier: &hosts{}})
		j := n.create(manyAddresses(20, func(int) string { return "acme.example" }), Request{})
		time.Sleep(30*time.Second - time.Second)
		if err := n.Fault(); err != nil {
			t.Errorf("too early: %v", err)
		}
		time.Sleep(10 * time.Second)
		if n.Fault() == nil {
			t.Error("the node does not know that it stands still")
		}
		before := s.joins.Load()
		time.Sleep(time.Minute)
		if s.joins.Load() != before {
			t.Error("it is announced")
		}
		close(s.shut)
		time.Sleep(10 * time.Second)
		if err := n.Fault(); err != nil || s.joins.Load() == before {
			t.Errorf("it does not go on: %v", err)
		}
		n.untilDone(j.ID)
	})
}
