package schedule

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// look does for a host what is to be done now.
func (s *State) look(h *host) {
	s.settleHeld(h)
	if h.queue.len() == 0 {
		return
	}
	if _, paused := s.pausedUntil(h.provider); paused {
		s.answerPaused(h)
		return
	}
	s.useIdle(h)
	s.makeWay(h)
	s.queueUp(h)
	s.admit(h.provider)
	s.giveUpTurn(h)
	s.lookAgain(h)
}

// useIdle has the idle sessions of a host take jobs, the last one first. (Rule
// 5.2)
func (s *State) useIdle(h *host) {
	for i := len(h.sessions) - 1; i >= 0 && h.queue.len() > h.queue.alone(); i-- {
		x := h.sessions[i]
		switch {
		case x.phase != idle || s.next(x):
		case !s.usable(x):
			s.end(x, Quit)
		default:
			return
		}
	}
}

// makeWay ends an idle session of a host whose first job is to be asked in a
// new one, for which it has no room. (Rule 5.2)
func (s *State) makeWay(h *host) {
	full := len(h.sessions) >= h.limits.sessions.size(s.now) && h.tally.in(closing) == 0
	if h.queue.len() == 0 || !h.queue.first().alone || !full {
		return
	}
	for _, x := range h.sessions {
		if x.phase == idle {
			s.end(x, Quit)
			return
		}
	}
}

// wantsSession reports whether more jobs wait than the sessions that are about
// to ask, or a busy one, will take, or one has waited for long. (Rule 5.1)
func (h *host) wantsSession(now time.Time) bool {
	q, size := &h.queue, h.newCapacity(now)
	if singles := &q.ranks[single]; singles.n > 0 && h.besideList() {
		return singles.alone.n > 0 || singles.n > size*h.tally[single][opening]
	}
	alone := q.alone()
	soon := size * (h.tally.in(opening) + 1)
	return len(h.sessions) == 0 || alone > 0 || q.len()-alone > soon || !now.Before(h.overdue())
}

// overdue is when the first job has waited for long, and is not to have the
// session that was just begun.
func (h *host) overdue() time.Time {
	at := h.queue.first().since.Add(newSessionDelay)
	if next := h.begun.Add(nextSessionDelay); next.After(at) {
		return next
	}
	return at
}

// besideList reports whether a list is being asked about, too: then a busy
// session is none that a single check could wait for.
func (h *host) besideList() bool { return h.tally.lists() > 0 || h.queue.ranks[list].n > 0 }

// wantsTurn reports whether the host has use for another session now.
func (h *host) wantsTurn(now time.Time) bool {
	return h.queue.len() > 0 && len(h.sessions) < h.sessionsFor(h.queue.rank(), now) &&
		!now.Before(h.notBefore) && h.wantsSession(now)
}

// queueUp has a host wait for its turn of a session, if it wants one. (Rule
// 6.2)
func (s *State) queueUp(h *host) {
	if r := h.queue.rank(); !h.inTurn[r] && h.wantsTurn(s.now) {
		h.inTurn[r] = true
		h.provider.turns[r].push(h)
	}
}

// lookAgain has a host looked at later that does not want a session now, and
// may then.
func (s *State) lookAgain(h *host) {
	if h.queue.len() == 0 || h.waitsForTurn() {
		return
	}
	at := h.overdue()
	if h.notBefore.After(at) {
		at = h.notBefore
	}
	if at.After(s.now) {
		s.setSooner(&h.timer, at, h)
	}
}

func (h *host) waitsForTurn() bool { return h.inTurn[single] || h.inTurn[list] }

// admit opens sessions with the hosts of a provider whose turn it is, single
// checks first, as far as all limits allow. A host with many jobs goes to the
// end of the queue when it has got one, and so delays one with few by no more
// than a session. (Rule 6.2)
func (s *State) admit(g *provider) {
	for r := range ranks {
		for q := &g.turns[r]; q.len() > 0; {
			h := q.first()
			s.useIdle(h)                                   // it may not have been looked at yet
			if !h.wantsTurn(s.now) || h.queue.rank() > r { // its single checks have gone
				s.leaveTurn(g, r)
				s.queueUp(h)
				s.lookAgain(h)
				continue
			}
			if !s.mayOpen(g, h.queue.rank()) {
				return
			}
			s.leaveTurn(g, r)
			s.begin(h, h.queue.first())
			s.queueUp(h)
			s.lookAgain(h)
		}
	}
}

// leaveTurn takes the first host off the queue.
func (s *State) leaveTurn(g *provider, r rank) {
	g.turns[r].pop().inTurn[r] = false
}

// mayOpen reports whether the limits of a provider, its egress and all sessions
// allow another session. If not, it sees to that it is asked again. (Rules 2.4
// and 6.1)
func (s *State) mayOpen(g *provider, r rank) bool {
	e := g.key.egress
	if s.shut || e.leaving {
		return false
	}
	if until, paused := s.pausedUntil(g); paused {
		s.setSooner(&g.timer, until, g)
		return false
	}
	ok, at := g.MayOpen(s.now, r == list)
	switch {
	case !ok && at.IsZero():
		s.makeRoom(g.tally.in(idle), func(x *session) bool { return x.host.provider == g })
	case !ok:
		s.setSooner(&g.timer, at, g)
	case !hasRoom(e.tally.all(), s.config.Pace.Egress.Sessions, r):
		e.queued.add(g, r)
		s.makeRoom(e.tally.in(idle), func(x *session) bool { return x.host.key.egress == e })
		ok = false
	case !hasRoom(s.tally.all(), s.config.MaxSessions, r):
		s.queued.add(g, r)
		s.makeRoom(s.tally.in(idle), func(*session) bool { return true })
		ok = false
	}
	return ok
}

// hasRoom reports whether a limit allows one more; less than one: there is
// none.
func hasRoom(open, limit int, r rank) bool {
	if r == list {
		limit = pace.ForLists(limit)
	}
	return limit <= 0 || open < limit
}

// makeRoom ends the session that has been idle for longest of those that are in
// the way. (Rule 5.4)
func (s *State) makeRoom(idle int, inTheWay func(*session) bool) {
	if idle == 0 {
		return
	}
	if i := slices.IndexFunc(s.idle, inTheWay); i >= 0 {
		s.end(s.idle[i], Quit)
	}
}

// waitingLine is providers that wait for a session, of an egress or of all.
type waitingLine [ranks]fifo[*provider]

func (l *waitingLine) len() int { return l[single].len() + l[list].len() }

func (l *waitingLine) add(g *provider, r rank) {
	if !g.queued[r] {
		g.queued[r] = true
		l[r].push(g)
	}
}

// goOn lets the providers go on that wait for a session, as one has ended:
// those of single checks first.
func (s *State) goOn(l *waitingLine, open *tally, limit int) {
	for r := range ranks {
		for n := l[r].len(); n > 0 && hasRoom(open.all(), limit, r); n-- {
			g := l[r].pop()
			g.queued[r] = false
			s.admit(g)
		}
	}
}

// ring lets the hosts of a provider go on whose time has come.
func (g *provider) ring(s *State) { s.admit(g) }

// somebodyWaits reports whether the place of a session with a host of the
// provider is wanted.
func (s *State) somebodyWaits(g *provider) bool {
	return g.hostsWait() || s.queued.len()+g.key.egress.queued.len() > 0
}

// giveUpTurn answers the jobs that would have to wait longer than they have
// time for sure, as it is not the turn of their host before. (Rule 6.4)
func (s *State) giveUpTurn(h *host) {
	if len(h.sessions) > 0 || !h.waitsForTurn() || h.queue.ranks[single].n == 0 {
		return // one that is open may take them
	}
	_, at := h.provider.MayOpen(s.now, false)
	h.queue.ranks[single].each(func(j *job) bool {
		if !j.Limit.IsZero() && at.After(j.Limit) {
			s.answer(j, Answered{Result: Limited, Retry: max(LeastWait, at.Sub(s.now))})
		}
		return true
	})
}
