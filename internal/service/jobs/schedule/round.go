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

// goRound makes the next call of the round, or begins one.
func (s *State) goRound() {
	for !s.round.calls && s.shut.IsZero() {
		switch {
		case len(s.round.free) > 0:
			id := s.round.free[0]
			s.round.free = s.round.free[1:]
			if s.runOf(id) == nil && s.doubted[id] {
				s.roundCalls(List{ID: id}, Free)
			}
		case len(s.round.lists) > 0:
			l := s.round.lists[0]
			s.round.lists = s.round.lists[1:]
			if s.mayAsk(l) {
				s.roundCalls(l, Ask)
			}
		case s.now.Before(s.round.at):
			return
		default:
			s.round.at = s.now.Add(lookEvery)
			s.roundCalls(List{}, Look)
		}
	}
}

func (s *State) roundCalls(l List, do Do) {
	s.round.calls = true
	s.call(call{list: l}, Action{Do: do, List: l})
}

// roundFails ends a round: the next one begins at its time.
func (s *State) roundFails(err error) {
	s.looks.note(s, err, LooksFail)
	if err != nil {
		s.round.free, s.round.lists = nil, nil
	}
}

// looked takes in the lists that may have something to ask. Runs of others are
// stopped.
func (s *State) looked(e Returned) {
	s.round.calls = false
	s.roundFails(e.Err)
	if e.Err != nil {
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
	if s.offline = e.Down; e.Down {
		s.stopAll()
	}
}

// mayAsk reports whether a list may begin, if it has a batch that is due.
func (s *State) mayAsk(l List) bool {
	return !s.offline && !s.beat.silent && s.runOf(l.ID) == nil && !s.doubted[l.ID] && !s.now.Before(s.due[l.ID])
}

// asked begins a run if a batch is due.
func (s *State) asked(c *call, e Returned) {
	s.round.calls = false
	s.roundFails(e.Err)
	if e.Err != nil || !s.shut.IsZero() {
		return
	}
	again := s.now.Add(s.config.Lease / 3)
	switch {
	case e.Due.IsZero() || e.Due.After(s.now):
		s.due[c.list.ID] = earliest(e.Due, again)
	case !s.mayAsk(c.list):
	case !s.hasPlace(c.list.Owner) && !s.makePlace(c.list.Owner):
		s.due[c.list.ID] = s.now.Add(min(turnOf, s.config.Lease) / 3)
	default:
		delete(s.due, c.list.ID)
		s.begin(c.list)
	}
}

// hasPlace reports whether an owner may have another run. One that leases no
// more has left its place.
func (s *State) hasPlace(owner string) bool {
	all, own := 0, 0
	for _, r := range s.runs {
		if r.phase == draining {
			continue
		}
		all++
		if r.list.Owner == owner {
			own++
		}
	}
	return all < s.config.Runs || own == 0
}

// makePlace lets the oldest run of an owner lease no more, if it has had its
// turn. Such runs are bounded, too: what they have may take long.
func (s *State) makePlace(owner string) bool {
	var oldest *run
	leave := 0
	for _, r := range s.runs {
		switch {
		case r.phase == draining:
			leave++
		case r.phase == working && r.list.Owner == owner && oldest == nil:
			oldest = r
		}
	}
	if oldest == nil || leave >= s.config.Runs || s.now.Sub(oldest.begun) < turnOf {
		return false
	}
	oldest.phase = draining
	s.yielded[oldest.list.ID] = s.now
	s.touched = true
	return true
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

// share says how many verifications each run may have in progress.
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
