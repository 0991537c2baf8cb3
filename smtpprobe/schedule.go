//go:build !plan

package smtpprobe

import "time"

// newSessionDelay is how long a job waits for a busy session before another one
// is opened.
const newSessionDelay = 300 * time.Millisecond

// schedule has the jobs that wait for a host served: by its idle sessions, by
// new ones as far as its window allows, or by those that are busy. The pool's
// lock is held.
func (p *Pool) schedule(h *mailHost) {
	h.giveUpDeferred()
	if len(h.waiting) == 0 {
		return
	}
	company := len(h.waiting) - h.alone()
	for n := 0; n*h.transactionSize() < company && len(h.idle) > 0 && h.mayCall(); n++ {
		p.call(h.idle[len(h.idle)-1])
	}
	if h.waiting[0].alone && h.sessions >= h.mostSessions() && len(h.idle) > 0 {
		p.retire(h.idle[0])
	}
	if p.openSessions(h); !h.inTurn {
		p.lookAgain(h)
	}
}

// mayCall reports whether an idle session may take those that wait first.
func (h *mailHost) mayCall() bool {
	return !h.forList() || h.servesLists()
}

// wantsSession reports whether more jobs wait than the sessions that are about
// to ask, or a busy one, will take, or one has waited for long.
func (h *mailHost) wantsSession() bool {
	alone := h.alone()
	if singles := h.singles(); singles > 0 && h.besideList() {
		return h.starting < alone || singles > h.transactionSize()*(h.starting-min(alone, h.starting)+h.called)
	}
	overdue := h.starting+h.called == 0 && time.Since(h.waiting[0].since) >= newSessionDelay
	soon := h.transactionSize() * (h.starting - alone + h.called + 1)
	return h.sessions == 0 || h.starting < alone || len(h.waiting)-alone > soon || overdue
}

// besideList reports whether a list is being asked about, too: then a busy
// session is none that a single check could wait for.
func (h *mailHost) besideList() bool { return h.listing > 0 || h.waiting[len(h.waiting)-1].ofList() }

// alone is how many of the jobs that wait must be asked alone: each takes a new
// session.
func (h *mailHost) alone() int {
	n := 0
	for _, j := range h.waiting {
		if j.alone {
			n++
		}
	}
	return n
}

// scheduleIn calls schedule in a while, if that is not to happen before.
func (p *Pool) scheduleIn(h *mailHost, in time.Duration) {
	h.alarm.set(p, time.Now().Add(in), func() { p.schedule(h) })
}

// alarm calls a function with the pool's lock held.
type alarm struct {
	timer *time.Timer // nil: it is not set
	at    time.Time
}

// set has it call f at some time, if that is not to happen before.
func (a *alarm) set(p *Pool, at time.Time, f func()) {
	if a.timer != nil && !at.Before(a.at) {
		return
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.at = at
	a.timer = time.AfterFunc(time.Until(at), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		a.timer = nil
		f()
	})
}
