package schedule

import (
	"errors"
	"fmt"
	"slices"
)

// Verify counts everything anew; nil: all is as it should be. It is for tests.
func (s *State) Verify() error {
	var v verifier
	s.verifySessions(&v)
	s.verifyJobs(&v)
	for _, h := range s.hosts {
		s.verifyHost(h, &v)
	}
	if n := s.touched.len(); n != 0 {
		v.wrong("%d hosts are to be looked at", n)
	}
	return errors.Join(v...)
}

// verifier is what is wrong.
type verifier []error

func (v *verifier) wrong(format string, args ...any) {
	*v = append(*v, fmt.Errorf("schedule: "+format, args...))
}

// verifySessions recounts the tallies.
func (s *State) verifySessions(v *verifier) {
	var total tally
	hosts, providers, egresses := map[*host]tally{}, map[*provider]tally{}, map[*egress]tally{}
	add := func(t tally, x *session) tally { t[x.rank][x.phase]++; return t }
	for id, x := range s.sessions {
		h := x.host
		total, hosts[h] = add(total, x), add(hosts[h], x)
		providers[h.provider] = add(providers[h.provider], x)
		egresses[h.key.egress] = add(egresses[h.key.egress], x)
		switch {
		case x.id != id:
			v.wrong("session %d is known as %d", x.id, id)
		case (x.phase == idle) != (x.timer.place > 0):
			v.wrong("session %d: idle is not what its timer says", id)
		case (x.phase == busy) != (x.run != nil && x.phase != closing):
			v.wrong("session %d: busy without a transaction", id)
		case (len(x.jobs) > 0) != (x.phase == opening || x.phase == busy):
			v.wrong("session %d has %d jobs", id, len(x.jobs))
		case s.hosts[h.key] != h:
			v.wrong("session %d is with a host that is forgotten", id)
		}
	}
	if total != s.tally {
		v.wrong("sessions: %v are %v", s.tally, total)
	}
	for _, h := range s.hosts {
		if hosts[h] != h.tally || len(h.sessions) != h.tally.all() {
			v.wrong("sessions of %v: %v and %d are %v", h.key.addr, h.tally, len(h.sessions), hosts[h])
		}
	}
	for _, g := range s.providers {
		if providers[g] != g.tally {
			v.wrong("sessions of %s: %v are %v", g.key.name, g.tally, providers[g])
		}
		if g.State(s.now).Sessions != g.tally.all() {
			v.wrong("sessions of %s: package pace counts otherwise", g.key.name)
		}
	}
	for _, e := range s.egresses.all {
		if egresses[e] != e.tally {
			v.wrong("sessions of egress %q: %v are %v", e.Name, e.tally, egresses[e])
		}
	}
}

// verifyJobs sees that each job is where it says.
func (s *State) verifyJobs(v *verifier) {
	callers, leads := map[*caller]int{}, map[*caller]int{}
	for id, j := range s.jobs {
		switch x := j.session; {
		case j.ID != id || j.place == answered:
			v.wrong("job %d has its answer", id)
		case (j.place == asked) != (x != nil):
			v.wrong("job %d: asked without a session", id)
		case (j.place == asked) != (j.in == nil):
			v.wrong("job %d: asked while it waits", id)
		case (j.place == held) != (j.in == &j.host.held):
			v.wrong("job %d: held where others are not", id)
		case j.Limit.IsZero() != (j.timer.place == 0):
			v.wrong("job %d: its limit is not watched", id)
		case x != nil && (!slices.Contains(x.jobs, j) || s.sessions[x.id] != x):
			v.wrong("job %d: its session does not have it", id)
		case s.hosts[j.host.key] != j.host:
			v.wrong("job %d is at a host that is forgotten", id)
		case j.leads && (x == nil || x.phase > busy):
			v.wrong("job %d leads no session", id)
		case j.caller != s.callers[j.Caller]:
			v.wrong("job %d is of another list", id)
		}
		callers[j.caller]++
		if j.leads {
			leads[j.caller]++
		}
	}
	for id, c := range s.callers {
		if c.jobs != callers[c] || c.leads != leads[c] || c.told != c.waiting() {
			v.wrong("list %d: %d jobs, %d first; %+v", id, callers[c], leads[c], c)
		}
	}
}

// verifyHost recounts the jobs of a host, and sees that something will happen
// for those that wait. None waits for a provider that is paused.
func (s *State) verifyHost(h *host, v *verifier) {
	if !slices.Contains(s.egresses.all, h.key.egress) {
		v.wrong("%v: its egress is forgotten", h.key.addr)
	}
	waits, singles, under := 0, 0, 0
	for i := range h.queue.ranks {
		h.queue.ranks[i].each(func(j *job) bool {
			if j.place != waiting || j.host != h || s.jobs[j.ID] != j {
				v.wrong("job %d does not wait", j.ID)
			}
			if waits++; j.caller == nil {
				singles++
			}
			return true
		})
	}
	for _, x := range h.sessions {
		under += len(x.jobs)
		for _, j := range x.jobs {
			if j.place != asked || j.session != x {
				v.wrong("job %d is not asked", j.ID)
			}
		}
	}
	_, paused := s.pausedUntil(h.provider)
	switch {
	case paused && waits > 0:
		v.wrong("%v: jobs wait while the provider is paused", h.key.addr)
	case waits != h.queue.len() || singles != h.queue.ranks[single].n:
		v.wrong("%v: %d jobs wait, %d of them single checks, and not %d and %d",
			h.key.addr, waits, singles, h.queue.len(), h.queue.ranks[single].n)
	case under != h.underWay:
		v.wrong("%v: %d jobs under way, and not %d", h.key.addr, under, h.underWay)
	case h.held.n != 0 && waits+under == 0:
		v.wrong("%v: refusals are held for nobody", h.key.addr)
	case waits > 0 && !s.shut && !s.somethingHappens(h):
		v.wrong("%v: jobs wait, and nothing will happen", h.key.addr)
	}
}

// somethingHappens reports whether there will be an event that has the jobs of
// a host looked at again.
func (s *State) somethingHappens(h *host) bool {
	g := h.provider
	switch {
	case h.timer.place > 0, len(h.sessions) > 0:
		return true
	case !h.waitsForTurn():
		return false
	case g.timer.place > 0, g.tally.all() > 0:
		return true
	}
	return (g.queued[single] || g.queued[list]) && s.tally.all() > 0
}
