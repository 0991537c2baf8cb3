package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/store/rows"
)

// settling is a settlement on its way to the store.
type settling struct {
	rows.Settlement
	job    rows.Job
	run    *run // nil: nobody waits for it
	freed  int  // addresses that leave the window
	closes bool // the batch is over for the run
	at     time.Time
}

// settler commits settlements in the order in which they come. Those that come
// at about the same time share a commit. While the store fails they wait; the
// windows of the runs bound how many there are.
type settler struct {
	manager *Manager
	wake    chan struct{}

	mu      sync.Mutex
	waiting []settling
	hurried bool // each commit is tried once
	closed  bool
	moved   *sync.Cond // some were committed or given up
}

func newSettler(m *Manager) *settler {
	s := &settler{manager: m, wake: make(chan struct{}, 1)}
	s.moved = sync.NewCond(&s.mu)
	return s
}

func (s *settler) add(one settling) {
	s.mu.Lock()
	s.waiting = append(s.waiting, one)
	s.mu.Unlock()
	s.signal()
}

func (s *settler) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wait returns when nothing of a run waits any more.
func (s *settler) wait(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r.flyingNow() > 0 {
		s.moved.Wait()
	}
}

func (r *run) flyingNow() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flying
}

// hurry makes the settler try each commit once: the manager stops.
func (s *settler) hurry() {
	s.mu.Lock()
	s.hurried = true
	s.mu.Unlock()
}

// close lets run end when everything is committed or was given up.
func (s *settler) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.signal()
}

// run commits until it is closed.
func (s *settler) run() {
	for {
		<-s.wake
		timer := time.NewTimer(settleTogether)
		<-timer.C
		for {
			some, closed := s.take()
			if len(some) == 0 {
				if closed {
					return
				}
				break
			}
			s.commit(some)
		}
	}
}

func (s *settler) take() (some []settling, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(s.waiting), settleAtOnce)
	some = s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	return some, s.closed
}

// commit writes some settlements. It tries again until the store takes them or
// the manager stops: then others ask again.
func (s *settler) commit(some []settling) {
	all := make([]rows.Settlement, len(some))
	for i := range some {
		all[i] = some[i].Settlement
	}
	var lost []bool
	for try := 0; ; try++ {
		ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
		var err error
		lost, err = s.manager.config.Store.SettleBatches(ctx, s.manager.node, all)
		cancel()
		if err == nil {
			break
		}
		if try == 0 {
			s.manager.config.Log.Error("results of jobs cannot be stored and wait in memory", "error", err)
		}
		if s.isHurried() {
			lost = nil
			break
		}
		time.Sleep(settleAgain)
	}
	for i := range some {
		if lost != nil && !lost[i] {
			s.manager.count(&some[i])
		}
		if some[i].run != nil {
			some[i].run.settled(&some[i])
		}
	}
	s.mu.Lock()
	s.moved.Broadcast()
	s.mu.Unlock()
}

const (
	// settleTimeout bounds a commit.
	settleTimeout = 15 * time.Second
	// settleAgain is the wait after a commit that failed.
	settleAgain = time.Second
)

func (s *settler) isHurried() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hurried
}

// count counts results that are committed: the usage of the key, and the rate.
func (m *Manager) count(s *settling) {
	m.rate.add(s.Settled(), m.config.Now())
	if m.config.Record == nil {
		return
	}
	for _, c := range s.Counts {
		for range c.Addresses {
			m.config.Record(rows.Use{Key: s.job.Key, At: s.at, Result: c.Result, Reason: c.Reason})
		}
	}
}
