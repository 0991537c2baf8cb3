package schedule

import (
	"cmp"
	"slices"
	"time"
)

// Config is what a node may do.
type Config struct {
	Concurrency int           // verifications in progress, of all runs together
	Window      int           // addresses of a run
	Batch       int           // the most addresses of a batch
	Runs        int           // at a time, and one more for each owner without one
	Lease       time.Duration // how long a node may be silent
}

const (
	// lookEvery is how soon a node notices what other nodes have changed.
	lookEvery = 500 * time.Millisecond
	// turnOf is how long a run leases if other lists of its owner wait.
	turnOf = time.Minute
	// leastRoom is what a run may have in progress, however many there are.
	leastRoom = 20
	// leastStandstill is the least time after which a call has not come back.
	// Each is bounded by less.
	leastStandstill = 30 * time.Second
	// stopWithin is how long a node that ends tries to commit what it has, and
	// leaveWithin how long it tries to leave after that.
	stopWithin  = 5 * time.Second
	leaveWithin = 2 * time.Second
	// failedAgain is the wait after a call for a list that failed, until the
	// next one for it, and tellAgain how often a failure is told.
	failedAgain = time.Second
	tellAgain   = time.Minute
)

// StopWithin is how long the end of a run is waited for.
const StopWithin = stopWithin

// State is what a node knows of the lists and of its own work. [New] makes one.
type State struct {
	config Config
	now    time.Time
	out    []Action

	calls    map[CallID]*call
	lastCall CallID
	lastRun  RunID

	round   round
	runs    []*run               // in the order in which they began
	due     map[string]time.Time // lists without a batch until then
	yielded map[string]time.Time // lists that have had their turn, and when
	// lists of which the store may have batches for us that we do not know of,
	// and when they are given back
	doubted map[string]time.Time
	tended  time.Time // when a run has to be looked at next, at the latest
	touched bool      // a run has changed

	settler settler
	beat    beat
	offline bool
	told    [NotLeft + 1]time.Time // when news were last told

	shut time.Time // when the node was told to end; zero: it was not
	left time.Time // when it began to leave
	done bool
}

// call is a call to the store that has not returned.
type call struct {
	id     CallID
	do     Do
	began  time.Time
	list   List
	run    *run
	settle []*settlement
}

// New returns the state of a node that begins. It was heard then.
func New(c Config, now time.Time) *State {
	s := &State{
		config: c, now: now, calls: make(map[CallID]*call), due: make(map[string]time.Time),
		yielded: make(map[string]time.Time), doubted: make(map[string]time.Time),
	}
	s.round.at = now
	s.settler.most = settleAtOnce
	s.beat.heard, s.beat.at = now, now.Add(c.Lease/6)
	return s
}

// Handle takes in what has happened, and returns what is to be done. The slice
// is valid until the next call.
func (s *State) Handle(now time.Time, e Event) []Action {
	s.now, s.out = now, s.out[:0]
	if s.done {
		return nil
	}
	s.listen()
	e.happen(s)
	s.announce()
	s.goRound()
	s.tendRuns()
	s.commit()
	s.end()
	return s.out
}

func (Tick) happen(*State) {}

func (Changed) happen(s *State) { s.round.at = s.now }

func (e Returned) happen(s *State) {
	c := s.calls[e.Call]
	if c == nil {
		return
	}
	delete(s.calls, e.Call)
	switch c.do {
	case Look:
		s.looked(e)
	case Ask:
		s.asked(c, e)
	case LeaseBatches:
		s.leased(c, e)
	case Free:
		s.freed(c, e)
	case Join:
		s.joined(c, e)
	case Leave:
		s.leave(e.Err)
	case Commit:
		s.committed(c, e)
	}
}

// Next is when the next event is due at the latest, a [Tick] if there is no
// other. Zero: there is nothing to wait for.
func (s *State) Next() time.Time {
	if s.done {
		return time.Time{}
	}
	next := earliest(s.tended, s.settler.next(s))
	if !s.shut.IsZero() {
		return earliest(next, s.ends())
	}
	if !s.round.calls {
		next = earliest(next, s.round.at)
	}
	return earliest(next, s.beat.next(s))
}

// earliest is the first of some times that are not zero.
func earliest(all ...time.Time) (first time.Time) {
	for _, at := range all {
		if first.IsZero() || !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	return first
}

func (s *State) do(a Action) { s.out = append(s.out, a) }

// tell tells of a failure, but not of each of many.
func (s *State) tell(n News, err error) {
	if last := s.told[n]; last.IsZero() || s.now.Sub(last) >= tellAgain {
		s.told[n] = s.now
		s.do(Action{Do: Tell, News: n, Err: err})
	}
}

// call begins a call.
func (s *State) call(c call, a Action) *call {
	s.lastCall++
	c.id, c.do, c.began = s.lastCall, a.Do, s.now
	a.Call = c.id
	s.calls[c.id] = &c
	s.do(a)
	return &c
}

// Fault returns since when a call does not come back: the node stands still.
// Zero: it goes on. A node that is not heard knows that by itself.
func (s *State) Fault(now time.Time) (what Do, since time.Time) {
	for _, c := range s.calls {
		if c.do != Join && (since.IsZero() || c.began.Before(since)) {
			what, since = c.do, c.began
		}
	}
	if since.IsZero() || now.Sub(since) < s.standstill() {
		return 0, time.Time{}
	}
	return what, since
}

func (s *State) standstill() time.Duration { return max(leastStandstill, s.config.Lease) }

// sorted are the keys of a map whose order must not matter.
func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
