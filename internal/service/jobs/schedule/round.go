package schedule

import (
	"errors"
	"slices"
	"time"
)

var errStandstill = errors.New("a call to the database does not come back")

// round is a look at the lists, and what follows from it, one call at a time.
type round struct {
	at    time.Time // of the next look
	calls bool
	free  []string // lists of which something may have to be given back
	lists []List   // that may begin
}

// goRound makes the next call of the round, or begins one (rule 1).
func (s *State) goRound() {
	for !s.round.calls && s.shut.IsZero() {
		switch {
		case len(s.round.free) > 0:
			id := s.round.free[0]
			s.round.free = s.round.free[1:]
			if !s.now.Before(s.doubted[id]) {
				s.roundCalls(List{ID: id}, Action{Do: Free, Held: s.held(id)})
			}
		case len(s.round.lists) > 0:
			l := s.round.lists[0]
			s.round.lists = s.round.lists[1:]
			if s.mayBegin(l) {
				s.roundCalls(l, Action{Do: Ask})
			}
		case s.now.Before(s.round.at):
			return
		default:
			s.round.at = s.now.Add(lookEvery)
			s.roundCalls(List{}, Action{Do: Look})
		}
	}
}

func (s *State) roundCalls(l List, a Action) {
	s.round.calls = true
	a.List = l
	s.call(call{list: l}, a)
}

// roundGoesOn takes in the end of a call of the round. If it failed, so would
// others: the next round begins at its time.
func (s *State) roundGoesOn(err error) bool {
	s.round.calls = false
	if err != nil {
		s.round.free, s.round.lists = nil, nil
		if s.shut.IsZero() {
			s.tell(LooksFail, err)
		}
	}
	return err == nil
}

// looked takes in the lists that may have something to ask. Runs of others are
// stopped.
func (s *State) looked(e Returned) {
	if !s.roundGoesOn(e.Err) {
		return
	}
	wanted := make(map[string]bool, len(e.Lists))
	for _, l := range e.Lists {
		wanted[l.ID] = true
	}
	for _, r := range slices.Clone(s.runs) {
		if !wanted[r.list.ID] {
			s.stop(r)
		}
	}
	for _, times := range []map[string]time.Time{s.due, s.yielded} {
		for id := range times {
			if !wanted[id] {
				delete(times, id)
			}
		}
	}
	s.round.free = sorted(s.doubted)
	s.round.lists = slices.Clone(e.Lists)
	slices.SortStableFunc(s.round.lists, func(a, b List) int { return s.yielded[a.ID].Compare(s.yielded[b.ID]) })
}

func (e Network) happen(s *State) {
	if s.offline = e.Down; !e.Down {
		return
	}
	for _, r := range s.runs {
		if !r.list.Alone {
			s.stop(r)
		}
	}
}

// asked begins a run if a batch is due (rule 2).
func (s *State) asked(c *call, e Returned) {
	again := s.now.Add(s.config.Lease / 3)
	switch {
	case !s.roundGoesOn(e.Err):
		s.due[c.list.ID] = s.now.Add(failedAgain)
	case e.Due.IsZero() || e.Due.After(s.now):
		s.due[c.list.ID] = earliest(e.Due, again)
	case s.mayBegin(c.list):
		if leaves, _ := s.place(c.list.Owner); leaves != nil {
			leaves.phase, s.yielded[leaves.list.ID] = draining, s.now
		}
		s.begin(c.list)
	}
}

// freed ends that the node may have something of a list without knowing (rule
// 9).
func (s *State) freed(c *call, e Returned) {
	if !s.roundGoesOn(e.Err) {
		s.doubted[c.list.ID] = s.now.Add(failedAgain)
		return
	}
	delete(s.doubted, c.list.ID)
	delete(s.due, c.list.ID)
	s.touched = true
}

// mayBegin reports whether a list may begin, if it has a batch that is due.
func (s *State) mayBegin(l List) bool {
	_, place := s.place(l.Owner)
	works := s.shut.IsZero() && (!s.offline || l.Alone) && !s.beat.silent
	return works && place && s.runOf(l.ID) == nil && !s.now.Before(s.due[l.ID])
}

// place reports whether an owner may have another run, and which one of its
// runs leases no more then: the oldest, if it has had its turn. Such a run has
// left its place, but what it has may take long, so they are bounded, too (rule
// 3).
func (s *State) place(owner string) (leaves *run, is bool) {
	all, own, left := 0, 0, 0
	for _, r := range s.runs {
		if r.phase == draining {
			left++
			continue
		}
		all++
		if r.list.Owner == owner {
			own++
			if leaves == nil && r.phase == working {
				leaves = r
			}
		}
	}
	if all < s.config.Runs || own == 0 {
		return nil, true
	}
	return leaves, leaves != nil && left < s.config.Runs && s.now.Sub(leaves.begun) >= turnOf
}

// begin begins a run.
func (s *State) begin(l List) {
	s.lastRun++
	r := &run{
		id: s.lastRun, list: l, begun: s.now, leases: s.now,
		open: make(map[Lease]*batch), domains: make(map[string]int),
	}
	s.runs = append(s.runs, r)
	s.do(Action{Do: Begin, Run: r.id, List: l})
	s.share()
	s.touched = true
}

// runOf is the run of a list.
func (s *State) runOf(list string) *run {
	for _, r := range s.runs {
		if r.list.ID == list {
			return r
		}
	}
	return nil
}

// share says how many verifications each run may have in progress (rule 4).
func (s *State) share() {
	of := make(map[string]int)
	for _, r := range s.runs {
		of[r.list.Owner]++
	}
	for _, r := range s.runs {
		room := max(leastRoom, s.config.Concurrency/(len(of)*of[r.list.Owner]))
		if room != r.room {
			r.room = room
			s.do(Action{Do: Room, Run: r.id, List: r.list, Room: room})
		}
	}
}
