package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
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
	ctx     context.Context // ends when nothing is committed any more
	cancel  context.CancelFunc

	mu      sync.Mutex
	waiting []settling
	of      map[*run]int // settlements of runs that are not committed or given up
	hurried bool         // each commit is tried once
	closed  bool
	began   time.Time     // when the commit in progress began; zero: none is in progress
	moved   chan struct{} // closed when some were committed or given up
}

func newSettler(m *Manager) *settler {
	s := &settler{manager: m, wake: make(chan struct{}, 1), of: make(map[*run]int), moved: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *settler) add(one settling) {
	s.mu.Lock()
	s.waiting = append(s.waiting, one)
	if one.run != nil {
		s.of[one.run]++
	}
	s.mu.Unlock()
	s.signal()
}

func (s *settler) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// wait returns when nothing of a run waits any more, or the manager has
// stopped. While the store fails that takes as long as it fails, and the log
// says so now and then.
func (s *settler) wait(r *run) {
	began := time.Now()
	told := time.NewTicker(waitTold)
	defer told.Stop()
	for {
		s.mu.Lock()
		left, moved := s.of[r], s.moved
		s.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-moved:
		case <-s.ctx.Done():
			return
		case <-told.C:
			s.manager.config.Log.Warn("a job that was stopped waits for its results to be stored",
				"job", r.job.ID, "settlements", left, "waited", time.Since(began).Round(time.Second))
		}
	}
}

// hurry makes the settler try each commit once, and none after some time: the
// manager stops.
func (s *settler) hurry(within time.Duration) (done func()) {
	s.mu.Lock()
	s.hurried = true
	s.mu.Unlock()
	timer := time.AfterFunc(within, s.cancel)
	return func() { timer.Stop(); s.cancel() }
}

// since returns when the present commit began; zero: there is none.
func (s *settler) since() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began
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
		var err error
		if lost, err = s.try(all); err == nil {
			break
		}
		lost = nil
		if try%toldEvery == 0 {
			s.manager.config.Log.Error("results of jobs cannot be stored and wait in memory", "error", err)
		}
		if s.isHurried() || !s.sleep(settleAgain) {
			break
		}
	}
	for i := range some {
		if lost != nil && !lost[i] {
			s.manager.count(&some[i])
		}
		if some[i].run != nil {
			some[i].run.settled(&some[i])
		}
	}
	s.forget(some)
}

func (s *settler) try(all []rows.Settlement) (lost []bool, err error) {
	ctx, cancel := context.WithTimeout(s.ctx, settleTimeout)
	defer cancel()
	s.begin(time.Now())
	defer s.begin(time.Time{})
	return s.manager.config.Store.SettleBatches(ctx, s.manager.node, all)
}

func (s *settler) begin(at time.Time) {
	s.mu.Lock()
	s.began = at
	s.mu.Unlock()
}

// sleep returns false if the settler is to end before.
func (s *settler) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// forget notes that some settlements are committed or were given up.
func (s *settler) forget(some []settling) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range some {
		r := some[i].run
		if r == nil {
			continue
		}
		if s.of[r]--; s.of[r] == 0 {
			delete(s.of, r)
		}
	}
	close(s.moved)
	s.moved = make(chan struct{})
}

const (
	// settleTimeout bounds a commit.
	settleTimeout = 15 * time.Second
	// settleAgain is the wait after a commit that failed, and toldEvery how
	// many such waits pass between two lines in the log.
	settleAgain = time.Second
	toldEvery   = 60
	// waitTold is how often the log says that a run waits for that.
	waitTold = 30 * time.Second
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
