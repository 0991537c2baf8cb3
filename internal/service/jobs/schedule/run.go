package schedule

import (
	"cmp"
	"slices"
	"time"
)

const (
	// leaseAtOnce is how many batches are leased at a time.
	leaseAtOnce = 4
	// largeOpen is how many batches of one domain a run has at a time: one in
	// transactions, one to follow.
	largeOpen = 2
	// largeShare of largeShareOf parts of the window is the most that large
	// domains take.
	largeShare, largeShareOf = 3, 4
	// maxExcept bounds the domains that a lease names.
	maxExcept = 50
	// leaseAgain is the wait after a lease that got nothing. It doubles up to
	// leaseAgainMost.
	leaseAgain     = 500 * time.Millisecond
	leaseAgainMost = 4 * time.Second
)

// phase is how far a run is. It only grows.
type phase uint8

const (
	working  phase = iota // it leases
	draining              // it leases no more, and ends when it has nothing
	stopping              // its verifications are being ended
	over                  // they have ended: what it has is settled or given back
)

// run is the work on a list.
type run struct {
	id       RunID
	list     List
	phase    phase
	begun    time.Time
	told     time.Time // when it was stopped
	finished bool      // it was told that there are no more addresses
	room     int

	open    map[Lease]*batch
	flying  int            // addresses that are leased and not settled
	large   int            // of them: in batches of one domain
	domains map[string]int // open batches by domain
	calls   bool           // of the run itself
	leases  time.Time      // not before
	empty   int            // leases that got nothing, one after the other
}

// tendRuns looks after the runs if one has changed, or if it is time.
func (s *State) tendRuns() {
	if !s.touched && (s.tended.IsZero() || s.now.Before(s.tended)) {
		return
	}
	s.touched, s.tended = false, time.Time{}
	for _, r := range slices.Clone(s.runs) {
		s.tended = earliest(s.tended, s.tend(r))
	}
}

// tend does what a run needs, and returns when it has to be looked at again.
// One that was stopped and does not end is ended (rule 12).
func (s *State) tend(r *run) (next time.Time) {
	switch r.phase {
	case working:
		return s.lease(r)
	case draining:
		if r.flying == 0 && !r.calls && !r.finished {
			r.finished = true
			s.do(Action{Do: Finish, Run: r.id, List: r.list})
		}
	case stopping:
		if stuck := r.told.Add(s.standstill()); s.now.Before(stuck) {
			return stuck
		}
		s.do(Action{Do: Tell, News: RunStuck, Run: r.id, List: r.list})
		s.ended(r)
	case over:
		if len(r.open) == 0 && !r.calls {
			s.remove(r)
		}
	}
	return time.Time{}
}

func (s *State) remove(r *run) {
	s.runs = slices.DeleteFunc(s.runs, func(other *run) bool { return other == r })
	s.do(Action{Do: Gone, Run: r.id, List: r.list})
	s.share()
}

// lease leases batches for which there is room, unless the node has to find out
// first what it has (rule 9).
func (s *State) lease(r *run) (next time.Time) {
	if _, doubted := s.doubted[r.list.ID]; r.calls || doubted {
		return time.Time{}
	}
	if s.now.Before(r.leases) {
		return r.leases
	}
	if q := s.query(r); q.Limit > 0 {
		r.calls = true
		s.call(call{list: r.list, run: r}, Action{Do: LeaseBatches, Run: r.id, List: r.list, Query: q})
	}
	return time.Time{}
}

// query is what a run may lease (rule 5).
func (s *State) query(r *run) Query {
	q := Query{Limit: min((s.config.Window-r.flying)/s.config.Batch, leaseAtOnce), Held: r.flying}
	if r.flying == 0 {
		q.Limit = max(1, q.Limit)
	}
	q.Small = r.large >= s.config.Window*largeShare/largeShareOf
	for _, domain := range sorted(r.domains) {
		if r.domains[domain] >= largeOpen {
			q.Except = append(q.Except, domain)
		}
	}
	if len(q.Except) > maxExcept {
		q.Small = true
	}
	if q.Small {
		q.Except = nil
	}
	return q
}

// held are the batches of a list of which this node knows.
func (s *State) held(list string) (all []Lease) {
	if r := s.runOf(list); r != nil {
		for _, b := range r.batches() {
			all = append(all, b.Lease)
		}
	}
	return all
}

// leased takes in what was leased.
func (s *State) leased(c *call, e Returned) {
	r := c.run
	r.calls, s.touched = false, true
	if e.Err != nil {
		s.doubted[r.list.ID] = s.now.Add(failedAgain)
	}
	for _, b := range e.Batches {
		s.open(r, b)
	}
	if r.phase == working {
		s.leaseLater(r, e)
	}
}

// leaseLater says when a run leases again (rule 5).
func (s *State) leaseLater(r *run, e Returned) {
	switch {
	case e.Err != nil:
		s.tell(LeaseFails, e.Err)
	case len(e.Batches) > 0:
		r.empty = 0
	case r.flying == 0:
		r.phase = draining
	default:
		r.leases = s.now.Add(min(leaseAgain<<min(r.empty, 8), leaseAgainMost))
		r.empty++
	}
}

// open takes in a batch. A run that was stopped gives it back when it is over.
func (s *State) open(r *run, b Batch) {
	one := &batch{Batch: b, run: r, left: b.Addresses}
	r.open[b.Lease] = one
	r.flying += b.Addresses
	if b.Domain != "" {
		r.large += b.Addresses
		r.domains[b.Domain]++
	}
	switch {
	case b.Damaged:
		r.phase = max(r.phase, draining)
		s.settler.ready(s, one)
	case r.phase == over || b.Addresses == 0:
		s.settler.ready(s, one)
	case r.phase < stopping:
		s.do(Action{Do: Feed, Run: r.id, List: r.list, Lease: b.Lease})
	}
}

func (e Ended) happen(s *State) {
	if i := slices.IndexFunc(s.runs, func(r *run) bool { return r.id == e.Run }); i >= 0 && s.runs[i].phase != over {
		s.ended(s.runs[i])
	}
}

// ended settles what a run has, as far as that is done (rule 10).
func (s *State) ended(r *run) {
	r.phase, s.touched = over, true
	for _, b := range r.batches() {
		s.settler.ready(s, b)
	}
}

// batches are the open ones, in their order.
func (r *run) batches() (all []*batch) {
	for _, b := range r.open {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *batch) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Claim, b.Claim))
	})
	return all
}

func (e Stop) happen(s *State) {
	if r := s.runOf(e.List); r != nil {
		s.stop(r)
	}
}

// stop ends the verifications of a run (rule 11).
func (s *State) stop(r *run) {
	if r.phase >= stopping {
		return
	}
	r.phase, r.told, s.touched = stopping, s.now, true
	s.do(Action{Do: Cancel, Run: r.id, List: r.list})
}

func (s *State) stopAll() {
	for _, r := range s.runs {
		s.stop(r)
	}
}
