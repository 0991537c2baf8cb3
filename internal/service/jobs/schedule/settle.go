package schedule

import "time"

const (
	// settleAfter is after how much time outcomes are committed although their
	// batch is not done: a lost node costs no more than that.
	settleAfter = 250 * time.Millisecond
	// settleTogether is how long a commit waits for others to join, and
	// settleAtOnce how many settlements one has.
	settleTogether = 30 * time.Millisecond
	settleAtOnce   = 64
	// settleAgain is the wait after a commit that failed.
	settleAgain = time.Second
)

// batch is a batch that a run has.
type batch struct {
	Batch
	run   *run
	left  int       // without an outcome
	fresh int       // with an outcome that no settlement has
	since time.Time // of the first of those
	freed int       // addresses that have left the window
	where where
}

// where is where a batch stands on its way to the store.
type where uint8

const (
	idle    where = iota
	waits         // it has outcomes, and more may come
	ready         // for the next commit
	sending       // a settlement of it is on its way
)

// settlement is a settlement that is being committed, until it is.
type settlement struct {
	Settlement
	batch *batch
	fresh int  // addresses that it settles
	tried bool // a commit of it failed, and may have happened
}

// settler commits what batches have brought.
type settler struct {
	waiting []*batch  // oldest first; one that is not [waits] any more is skipped
	due     []*batch  // those that are [ready]
	dueAt   time.Time // when they are committed at the latest
	again   []*settlement
	most    int  // of those, in the next commit
	turn    bool // those of again are next
	calls   bool
	rests   time.Time // no commit before
	lastID  int64
}

// next is when something is due.
func (c *settler) next(s *State) (next time.Time) {
	if c.calls || !s.left.IsZero() {
		return time.Time{}
	}
	switch {
	case len(c.again) > 0:
		next = s.now
	case len(c.due) > 0:
		next = c.dueAt
	case len(c.waiting) > 0:
		next = c.waiting[0].since.Add(settleAfter)
	default:
		return next
	}
	if next.Before(c.rests) {
		return c.rests
	}
	return next
}

// ready lets the next commit have a batch (rule 6). It does not wait for others
// where it takes turns with what failed: it would lose its turn (rule 7).
func (c *settler) ready(s *State, b *batch) {
	if b.where >= ready {
		return
	}
	if b.where = ready; len(c.due) == 0 {
		c.dueAt = s.now
		if len(c.again) == 0 {
			c.dueAt = s.now.Add(settleTogether)
		}
	}
	c.due = append(c.due, b)
}

func (e Answered) happen(s *State) {
	b := s.batchOf(e)
	if b == nil {
		return
	}
	b.left -= e.N
	if b.fresh += e.N; b.fresh == e.N {
		b.since = s.now
	}
	s.settler.outcome(s, b)
}

func (s *State) batchOf(e Answered) *batch {
	for _, r := range s.runs {
		if r.id == e.Run {
			return r.open[e.Lease]
		}
	}
	return nil
}

// outcome lets a batch wait until its outcomes are committed (rule 6).
func (c *settler) outcome(s *State, b *batch) {
	switch {
	case b.left == 0:
		c.ready(s, b)
	case b.where == idle:
		b.where = waits
		c.waiting = append(c.waiting, b)
	}
}

// commit begins the next commit, if it is time: of what is due, or of what
// failed (rules 6 and 7).
func (s *State) commit() {
	c := &s.settler
	if c.calls || !s.left.IsZero() || s.now.Before(c.rests) {
		return
	}
	for len(c.waiting) > 0 && (c.waiting[0].where != waits || !s.now.Before(c.waiting[0].since.Add(settleAfter))) {
		if b := c.waiting[0]; b.where == waits {
			c.ready(s, b)
		}
		c.waiting = c.waiting[1:]
	}
	isDue := len(c.due) > 0 && !s.now.Before(c.dueAt)
	var some []*settlement
	switch {
	case len(c.again) > 0 && (c.turn || !isDue):
		n := min(len(c.again), c.most)
		some, c.again = c.again[:n:n], c.again[n:]
		c.turn = false
	case isDue:
		some = s.settlements()
		c.turn = true
	default:
		return
	}
	c.calls = true
	all := make([]Settlement, len(some))
	for i, one := range some {
		all[i] = one.Settlement
	}
	s.call(call{settle: some}, Action{Do: Commit, Settle: all})
}

// settlements takes from the batches that are due what they have brought.
func (s *State) settlements() (some []*settlement) {
	c := &s.settler
	for len(c.due) > 0 && len(some) < settleAtOnce {
		b := c.due[0]
		c.due = c.due[1:]
		c.lastID++
		some = append(some, &settlement{batch: b, fresh: b.fresh, Settlement: Settlement{
			ID: c.lastID, Run: b.run.id, Lease: b.Lease, Left: b.left, Damaged: b.Damaged,
			Release: b.left > 0 && b.run.phase == over,
		}})
		b.where, b.fresh = sending, 0
	}
	return some
}

// committed takes in the end of a commit (rule 7).
func (s *State) committed(c *call, e Returned) {
	x := &s.settler
	x.calls = false
	if e.Err != nil {
		s.tell(CommitFails, e.Err)
		x.most = max(1, len(c.settle)/2)
		x.rests = s.now.Add(settleAgain)
		for _, one := range c.settle {
			one.tried = true
		}
		x.again = append(x.again, c.settle...)
		return
	}
	if c.settle[0].tried { // what is due says nothing of what failed
		x.most = min(settleAtOnce, 2*x.most)
	}
	if len(x.due) > 0 {
		x.dueAt = s.now
	}
	for i, one := range c.settle {
		s.settled(one, e.Lost[i])
	}
}

// settled takes in the end of a settlement. If it was tried before, nobody
// knows whether one that is lost was committed then, and the next one of its
// batch tells (rule 8).
func (s *State) settled(one *settlement, lost bool) {
	b := one.batch
	r := b.run
	s.touched = true
	lost = lost && !one.tried
	closes := one.Left == 0 || one.Release || one.Damaged || lost
	freed := one.fresh
	if closes {
		freed = b.Addresses - b.freed
	}
	b.freed += freed
	r.flying -= freed
	if b.Domain != "" {
		r.large -= freed
	}
	if !closes {
		b.where = idle
		if r.phase == over {
			s.settler.ready(s, b)
		} else if b.fresh > 0 {
			s.settler.outcome(s, b)
		}
		return
	}
	delete(r.open, b.Lease)
	r.leases = s.now // more may be leased than before
	if b.Domain != "" {
		if r.domains[b.Domain]--; r.domains[b.Domain] == 0 {
			delete(r.domains, b.Domain)
		}
	}
	if lost && one.Left > 0 {
		s.do(Action{Do: Drop, Run: r.id, List: r.list, Lease: b.Lease})
	}
}
