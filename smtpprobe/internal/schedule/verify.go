package schedule

import (
	"errors"
	"fmt"
	"slices"
)

// Verify counts everything anew; nil: all is as it should be. It is for tests.
func (s *State) Verify() error {
	var all []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Errorf("schedule: "+format, args...))
		}
	}
	s.verifySessions(check)
	s.verifyJobs(check)
	for _, h := range s.hosts {
		s.verifyHost(h, check)
	}
	check(s.touched.len() == 0, "%d hosts are to be looked at", s.touched.len())
	return errors.Join(all...)
}

type verifier func(ok bool, format string, args ...any)

// verifySessions recounts the tallies.
func (s *State) verifySessions(check verifier) {
	var total tally
	hosts, providers, egresses := map[*host]tally{}, map[*provider]tally{}, map[*egress]tally{}
	add := func(t tally, x *session) tally { t[x.rank][x.phase]++; return t }
	for id, x := range s.sessions {
		h := x.host
		total, hosts[h] = add(total, x), add(hosts[h], x)
		providers[h.provider] = add(providers[h.provider], x)
		egresses[h.key.egress] = add(egresses[h.key.egress], x)
		check(x.id == id, "session %d is known as %d", x.id, id)
		check((x.phase == idle) == (x.timer.place > 0), "session %d: idle is not what its timer says", id)
		check((x.phase == busy) == (x.run != nil && x.phase != closing), "session %d: busy without a transaction", id)
		check((len(x.jobs) > 0) == (x.phase == opening || x.phase == busy), "session %d has %d jobs", id, len(x.jobs))
		check(s.hosts[h.key] == h, "session %d is with a host that is forgotten", id)
	}
	check(total == s.tally, "sessions: %v are %v", s.tally, total)
	for _, h := range s.hosts {
		check(hosts[h] == h.tally, "sessions of %v: %v are %v", h.key.addr, h.tally, hosts[h])
		check(len(h.sessions) == h.tally.all(), "sessions of %v: %d are %d", h.key.addr, len(h.sessions), h.tally.all())
	}
	for _, g := range s.providers {
		check(providers[g] == g.tally, "sessions of %s: %v are %v", g.key.name, g.tally, providers[g])
		check(g.State(s.now).Sessions == g.tally.all(), "sessions of %s: package pace counts otherwise", g.key.name)
	}
	for _, e := range s.egresses.all {
		check(egresses[e] == e.tally, "sessions of egress %q: %v are %v", e.Name, e.tally, egresses[e])
	}
}

// verifyJobs sees that each job is where it says.
func (s *State) verifyJobs(check verifier) {
	callers := map[CallerID]int{}
	for id, j := range s.jobs {
		check(j.ID == id && j.place != answered, "job %d has its answer", id)
		check((j.place == asked) == (j.session != nil), "job %d: asked without a session", id)
		check((j.place == asked) == (j.in == nil), "job %d: asked while it waits", id)
		check((j.place == held) == (j.in == &j.host.held), "job %d: held where others are not", id)
		check(j.Limit.IsZero() == (j.timer.place == 0), "job %d: its limit is not watched", id)
		if x := j.session; x != nil {
			check(slices.Contains(x.jobs, j) && s.sessions[x.id] == x, "job %d: its session does not have it", id)
		}
		if j.Caller != 0 {
			callers[j.Caller]++
		}
	}
	for id, n := range callers {
		check(s.callers[id] != nil && s.callers[id].jobs == n, "list %d has %d jobs", id, n)
	}
}

// verifyHost recounts the jobs of a host, and sees that something will happen
// for those that wait.
func (s *State) verifyHost(h *host, check verifier) {
	waits, impatient, under := h.queue.all(), 0, 0
	for _, j := range waits {
		check(j.place == waiting && j.host == h && s.jobs[j.ID] == j, "job %d does not wait", j.ID)
		if !j.canWait() {
			impatient++
		}
	}
	for _, x := range h.sessions {
		under += len(x.jobs)
		for _, j := range x.jobs {
			check(j.place == asked && j.session == x, "job %d is not asked", j.ID)
		}
	}
	check(len(waits) == h.queue.len(), "%v: %d jobs wait, and not %d", h.key.addr, len(waits), h.queue.len())
	check(impatient == h.queue.impatient, "%v: %d impatient jobs, and not %d", h.key.addr, impatient, h.queue.impatient)
	check(under == h.underWay, "%v: %d jobs under way, and not %d", h.key.addr, under, h.underWay)
	check(h.held.n == 0 || h.queue.len()+h.underWay > 0, "%v: refusals are held for nobody", h.key.addr)
	if len(waits) > 0 && !s.shut {
		check(s.somethingHappens(h), "%v: jobs wait, and nothing will happen", h.key.addr)
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
