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
	for n := 0; n*h.transactionSize() < len(h.waiting) && len(h.idle) > 0; n++ {
		p.call(h.idle[len(h.idle)-1])
	}
	most := h.window.Size(time.Now())
	if h.waiting[0].alone && h.sessions >= most && len(h.idle) > 0 {
		p.retire(h.idle[0])
	}
	wait := newSessionDelay
	for h.sessions < most && h.wantsSession() {
		if after := p.turn(h); after > 0 {
			wait = max(wait, after)
			break
		}
		h.sessions++
		h.starting++
		p.workers.Go(func() { p.start(h) })
	}
	if h.sessions < most && len(h.waiting) > h.starting { // else each has a session that is about to ask
		p.scheduleIn(h, wait)
	}
}

// turn returns how long the next session with a host has to wait, for the sake
// of the host or its provider. If it does not, it begins. The pool's lock is
// held.
func (p *Pool) turn(h *mailHost) time.Duration {
	provider := p.provider(h.waiting[0].route)
	wait := max(p.providers.wait(provider), time.Until(h.notBefore))
	if wait <= 0 {
		p.providers.opens(provider)
	}
	return wait
}

// wantsSession reports whether more jobs wait than the sessions that are about
// to ask, or a busy one, will take, or one has waited for long.
func (h *mailHost) wantsSession() bool {
	alone := 0
	for _, j := range h.waiting {
		if j.alone {
			alone++
		}
	}
	overdue := h.starting == 0 && time.Since(h.waiting[0].since) >= newSessionDelay
	soon := h.transactionSize() * (h.starting - alone + 1)
	return h.sessions == 0 || h.starting < alone || len(h.waiting)-alone > soon || overdue
}

// scheduleIn calls schedule in a while, if that is not to happen before.
func (p *Pool) scheduleIn(h *mailHost, in time.Duration) {
	at := time.Now().Add(in)
	if h.timer != nil && !at.Before(h.timerAt) {
		return
	}
	if h.timer != nil {
		h.timer.Stop()
	}
	h.timerAt = at
	h.timer = time.AfterFunc(in, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		h.timer = nil
		p.schedule(h)
	})
}
