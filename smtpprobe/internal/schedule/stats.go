package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// Stats counts.
type Stats struct {
	Sessions int // that are not closed
	Idle     int // of them: kept for the next job
	UnderWay int // jobs that a session has
	Waiting  int // jobs that wait for a session
	Hosts    int // mail hosts of which something is known
}

// Pace is how a provider is asked, through one egress.
type Pace struct {
	pace.Rules
	pace.State
	Egress  string // its name
	Waiting int    // jobs that wait for one of its hosts
}

// EgressState is the state of an egress.
type EgressState struct {
	Egress
	Sessions  int
	Leaving   bool      // it was removed, and its last sessions end
	Down      bool      // it does not work, and is tried every half minute
	Fault     string    // what is wrong; empty: nothing is known
	LastReply time.Time // when a mail host last greeted us by it; zero: none did
	Said      []Said    // the last replies of providers
}

// Stats counts.
func (s *State) Stats() Stats {
	all := Stats{Sessions: s.tally.all(), Idle: s.tally.in(idle), Hosts: len(s.hosts)}
	for _, h := range s.hosts {
		all.UnderWay += h.underWay
		all.Waiting += h.queue.len()
	}
	return all
}

// Pacing tells how each provider is asked; those for which most jobs wait come
// first.
func (s *State) Pacing(now time.Time) []Pace {
	s.now = now
	var all []Pace
	for key, g := range s.providers {
		all = append(all, Pace{Rules: g.Rules(), State: s.stateOf(g), Egress: key.egress.Name, Waiting: g.waiting})
	}
	slices.SortFunc(all, func(a, b Pace) int {
		most := cmp.Compare(b.Waiting, a.Waiting)
		return cmp.Or(most, cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}

// Egresses returns the state of each egress, and of those whose last sessions
// end.
func (s *State) Egresses() []EgressState {
	said := map[*egress][]Said{}
	for key, g := range s.providers {
		if !g.said.At.IsZero() {
			said[key.egress] = append(said[key.egress], g.said)
		}
	}
	var all []EgressState
	for _, e := range s.egresses.all {
		all = append(all, EgressState{
			Egress: e.Egress, Sessions: e.tally.all(), Leaving: e.leaving, Down: e.down(), Fault: e.faultNow(),
			LastReply: e.lastReply, Said: said[e],
		})
	}
	return all
}

// Memory returns what is worth keeping of how providers were asked, for a later
// plan.
func (s *State) Memory(now time.Time) []pace.Memory {
	s.now = now
	var all []pace.Memory
	for _, e := range s.egresses.all {
		all = append(all, s.memoryOf(e)...)
	}
	for _, m := range s.memory { // of providers that were not asked since
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b pace.Memory) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}
