//go:build !plan

package smtpprobe

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Sessions with the mail hosts of a provider are limited together. A host that
// wants one queues up for it, with all its jobs, and goes to the end of the
// queue when it has got it: so a host with many jobs delays one with few by no
// more than a session. Sessions that go on for long end when others wait.

const (
	// turnLasts is how long a session goes on while hosts of its provider wait
	// for one.
	turnLasts = 10 * time.Second
)

// openSessions has a host queue up for sessions, if it wants any.
func (p *Pool) openSessions(h *mailHost) {
	if !h.inTurn && h.wantsTurn() {
		h.inTurn = true
		h.paced.turn = append(h.paced.turn, h)
	}
	p.admit(h.paced)
	if h.inTurn {
		p.giveUpTurn(h)
	}
}

// wantsTurn reports whether the host has use for another session now.
func (h *mailHost) wantsTurn() bool {
	return len(h.waiting) > 0 && h.sessions < h.sessionsFor() && !time.Now().Before(h.notBefore) && h.wantsSession()
}

// admit opens sessions with the hosts of a provider whose turn it is, as far as
// its limits allow. The pool's lock is held.
func (p *Pool) admit(g *paced) {
	now := time.Now()
	if _, ok := g.Paused(now); ok {
		p.failTurn(g)
		return
	}
	for len(g.turn) > 0 {
		i := g.whoseTurn()
		h := g.turn[i]
		if !h.wantsTurn() {
			p.leaveTurn(g, i)
			p.lookAgain(h)
			continue
		}
		e, list := g.key.egress, h.forList()
		if ok, at := g.MayOpen(now, list); !ok || !e.Limit.MayOpen(list) {
			switch {
			case ok:
				p.queueFor(g)
			case at.IsZero():
				p.makeRoom(g)
			default:
				p.admitAt(g, at)
			}
			return
		}
		p.leaveTurn(g, i)
		g.Opened(now)
		e.Limit.Opened()
		h.sessions++
		h.starting++
		p.workers.Go(func() { p.start(h, list) })
	}
}

// whoseTurn is the place in the queue of the host whose turn it is: the first
// at which a single check waits, or else the first.
func (g *paced) whoseTurn() int {
	return max(0, slices.IndexFunc(g.turn, func(h *mailHost) bool { return !h.forList() }))
}

// leaveTurn takes a host off the queue.
func (p *Pool) leaveTurn(g *paced, i int) {
	g.turn[i].inTurn = false
	g.turn = slices.Delete(g.turn, i, i+1)
}

// failTurn answers the jobs of a provider that is paused, where no session
// will.
func (p *Pool) failTurn(g *paced) {
	for len(g.turn) > 0 {
		h := g.turn[0]
		p.leaveTurn(g, 0)
		h.failWaiting(func(j *job) (result, bool) { return result{session: g.pausedSession(j)}, true })
	}
}

// ended notes that a session has, and lets the next one begin.
func (p *Pool) ended(w *worker) {
	h := w.host
	h.paced.Closed()
	e := h.key.egress
	e.Limit.Closed()
	p.admit(h.paced)
	for n := len(p.queued[e]); n > 0 && e.Limit.MayOpen(false); n-- {
		g := p.queued[e][0]
		p.queued[e] = p.queued[e][1:]
		p.admit(g)
	}
	p.forgetEgress(e)
}

// oneTooMany reports whether the host put the session off while others with its
// provider were open: the provider may be at its limit.
func (s *session) oneTooMany() bool {
	o := s.Opening()
	for _, reply := range []*smtp.Reply{o.Greeting, o.EHLO} {
		if reply != nil && reply.Refused() {
			return s.paced.alive > 1 && s.read(smtp.PhaseGreeting, *reply, "").Class == replies.ClassRateLimited
		}
	}
	return false
}

// queueFor notes that a provider waits for a session of its egress.
func (p *Pool) queueFor(g *paced) {
	e := g.key.egress
	if !slices.Contains(p.queued[e], g) {
		p.queued[e] = append(p.queued[e], g)
	}
	for _, w := range p.idle {
		if w.host.key.egress == e {
			p.retire(w)
			return
		}
	}
}

// makeRoom ends the idle session of a provider that has been so for longest.
func (p *Pool) makeRoom(g *paced) {
	if g.idle == 0 {
		return
	}
	for _, w := range p.idle {
		if w.host.paced == g {
			p.retire(w)
			return
		}
	}
}

// admitAt calls admit at some time, if that is not to happen before.
func (p *Pool) admitAt(g *paced, at time.Time) { g.alarm.set(p, at, func() { p.admit(g) }) }

// lookAgain has a host looked at later that does not want a session now, and
// may then.
func (p *Pool) lookAgain(h *mailHost) {
	served := h.starting + h.called // each by a session that is about to ask
	if (h.sessions < h.sessionsFor() || len(h.idle) > 0) && len(h.waiting) > served {
		p.scheduleIn(h, max(time.Until(h.notBefore), newSessionDelay))
	}
}

// mayName is how many more recipients a session may name, as far as the
// provider goes; list: of a list. The pool's lock is held.
func (w *worker) mayName(list bool) int {
	named := 0
	if w.session != nil {
		named = w.session.mail.Recipients
	}
	return w.host.paced.MayName(named, time.Now(), list)
}

// full reports whether the provider has no room, and more than so many jobs
// wait for it.
func (g *paced) full(most int) bool {
	n := 0
	for _, h := range g.turn {
		if n += len(h.waiting); n > most {
			return true
		}
	}
	return false
}

// heldBack is the error of a job that is better put aside until others have had
// their turn.
func (p *Pool) heldBack(h *mailHost, j *job) error {
	now := time.Now()
	_, at := h.paced.MayOpen(now, true)
	return &HeldBackError{Provider: h.paced.key.name, RetryAfter: max(0, at.Sub(now)), err: busy(j)}
}

// hasHadItsTurn reports whether the session is to end because hosts of the
// provider wait for one.
func (w *worker) hasHadItsTurn() bool {
	return len(w.host.paced.turn) > 0 && w.session.Age() >= turnLasts
}

// giveUpTurn answers the jobs that would have to wait longer than they have
// time for sure, as it is not the turn of their host before. Patient ones wait.
func (p *Pool) giveUpTurn(h *mailHost) {
	now := time.Now()
	_, at := h.paced.MayOpen(now, false)
	if h.sessions > 0 {
		return // one that is open may take them
	}
	h.failWaiting(func(j *job) (result, bool) {
		limit := j.budget.limit
		if limit.IsZero() || !at.After(limit) {
			return result{}, false
		}
		return result{session: limitedSession(j, h.untilTurn(now, at))}, true
	})
}

// untilTurn is about how long it may take until it is the turn of the host.
func (h *mailHost) untilTurn(now, at time.Time) time.Duration {
	return max(leastWait, at.Sub(now))
}
