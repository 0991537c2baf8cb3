package smtpprobe

import (
	"net/netip"
	"slices"
	"time"
)

// hostKey tells sessions apart that cannot stand in for each other. Addresses
// count and not names, because the load is the machine's: thousands of domains
// have a mail exchanger name of their own for the same machine.
type hostKey struct {
	addr   netip.AddrPort
	egress int
	plain  bool
}

// mailHost is what the pool has to do with one mail host, and what it has
// learned of it. The pool's lock guards it.
type mailHost struct {
	key       hostKey
	waiting   []*job // in order of arrival
	underWay  int    // jobs that a worker has taken
	sessions  int    // open, or about to be
	starting  int    // of sessions: those that have taken no ask yet
	failing   int    // of sessions: those that could not be opened, and end
	idle      []*worker
	impatient *time.Timer // looks after those who have waited long
	lookAt    time.Time   // when it does

	asked, refused int           // recipients named of late, and those refused of them
	perRecipient   time.Duration // that the last transaction took
	limits         hostLimits
	failed         *failedSession
	wellAt         time.Time // a session was last open
	notBefore      time.Time // the next may be opened

	answers      bool      // it has answered about a recipient
	heard        int       // recipients that were named to it of late
	heardAt      time.Time // the last of them
	accepted     []string  // mailboxes, the one that it accepted last first
	turns        int       // how often in a row it refused everybody
	noPostmaster time.Time // when it refused postmaster; zero: it did not
	open         int       // refusals that wait for an acceptance in their session
	deferred     []openRefusal
}

func (p *Pool) key(a *job) hostKey {
	return hostKey{addr: netip.AddrPortFrom(a.route.addr.Addr().Unmap(), a.route.addr.Port()), egress: a.route.egress, plain: a.route.plain}
}

func (p *Pool) host(a *job) *mailHost {
	key := p.key(a)
	h := p.hosts[key]
	if h == nil {
		p.sweep()
		h = &mailHost{key: key, limits: newLimits(p.config)}
		p.hosts[key] = h
	}
	h.forget(p.config)
	return h
}

// submit lets an ask wait for a session.
func (p *Pool) submit(a *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return ErrClosed
	}
	h := p.host(a)
	if a.req.Queued == nil && p.full(h) {
		return busy(a)
	}
	a.since = time.Now()
	h.waiting = append(h.waiting, a)
	a.queue(true)
	p.staff(h)
	return nil
}

// full reports whether as many wait for a session as may, beside those that are
// about to have one. Who is told of waits is not counted.
func (p *Pool) full(h *mailHost) bool {
	soon := max(0, p.sessionCap(h)-h.sessions+h.starting)
	if len(h.waiting)-soon < p.config.MaxWaitingPerHost {
		return false
	}
	counted := 0
	for _, a := range h.waiting {
		if a.req.Queued == nil {
			counted++
		}
	}
	return counted-soon >= p.config.MaxWaitingPerHost
}

// resubmit lets a job wait again, in front of all others but those that are to
// be asked alone, as they show something about the host. Where it shared the
// transaction, its time begins anew: that it has to be asked again is not its
// doing.
func (p *Pool) resubmit(h *mailHost, a *job, shared bool) {
	now := time.Now()
	if shared || a.worker == nil {
		a.left.extend(now.Sub(a.since))
	}
	a.worker, a.since = nil, now
	if p.closing {
		a.tell(result{err: ErrClosed})
		return
	}
	at := 0
	for !a.alone && at < len(h.waiting) && h.waiting[at].alone {
		at++
	}
	h.waiting = slices.Insert(h.waiting, at, a)
	a.queue(true)
}

// sessionCap is how many sessions the host may have at a time.
func (p *Pool) sessionCap(h *mailHost) int { return h.limits.sessions.now }

// forget forgets what is too old to be believed.
func (h *mailHost) forget(c Config) {
	now := time.Now()
	if h.limits.over(now) {
		h.limits = newLimits(c)
	}
	if now.Sub(h.heardAt) > limitsLast {
		h.accepted = nil
	}
}

// alive is how many sessions are open, or are being opened.
func (h *mailHost) alive() int { return h.sessions - h.starting - h.failing }

// patience is how long an ask waits for a busy session before another one is
// opened.
const patience = 300 * time.Millisecond

// staff sees to it that those who wait are served: by an idle session, by
// another one while there may be more, or by those that are busy.
func (p *Pool) staff(h *mailHost) {
	h.giveUpDeferred()
	if len(h.waiting) == 0 {
		return
	}
	for n := 0; n*p.transactionSize(h) < len(h.waiting) && len(h.idle) > 0; n++ {
		p.call(h.idle[len(h.idle)-1])
	}
	if h.waiting[0].alone && h.sessions >= p.sessionCap(h) && len(h.idle) > 0 {
		p.retire(h.idle[0])
	}
	provider := p.provider(h.waiting[0].route)
	wait := max(p.providers.wait(provider), time.Until(h.notBefore))
	for wait <= 0 && h.sessions < p.sessionCap(h) && p.wantsSession(h) {
		p.providers.opens(provider)
		wait = p.providers.wait(provider)
		h.sessions++
		h.starting++
		p.workers.Go(func() { p.start(h) })
	}
	if h.sessions < p.sessionCap(h) && len(h.waiting) > h.starting { // else each has a session that is about to ask
		p.lookAgain(h, max(wait, patience))
	}
}

// lookAgain has those who wait looked after in a while, if nobody is to do so
// before.
func (p *Pool) lookAgain(h *mailHost, in time.Duration) {
	at := time.Now().Add(in)
	switch {
	case h.impatient == nil:
		h.impatient = time.AfterFunc(in, func() { p.restaff(h) })
	case at.Before(h.lookAt):
		h.impatient.Reset(in)
	default:
		return
	}
	h.lookAt = at
}

// wantsSession reports whether more wait than the sessions about to ask, or a
// busy one, will take along.
func (p *Pool) wantsSession(h *mailHost) bool {
	if h.sessions == 0 {
		return true
	}
	alone := 0
	for _, a := range h.waiting {
		if a.alone {
			alone++
		}
	}
	overdue := h.starting == 0 && time.Since(h.waiting[0].since) >= patience
	return h.starting < alone || len(h.waiting)-alone > p.transactionSize(h)*(h.starting-alone+1) || overdue
}

// restaff looks after those who have waited long.
func (p *Pool) restaff(h *mailHost) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.impatient = nil
	p.staff(h)
}

// withdraw takes a job off those that wait. The answer of one that waits for
// others to be accepted is known.
func (h *mailHost) withdraw(j *job) (r result, ok bool) {
	h.waiting = slices.DeleteFunc(h.waiting, func(k *job) bool { return k == j })
	h.deferred = slices.DeleteFunc(h.deferred, func(o openRefusal) bool {
		if o.job == j {
			r, ok = o.answer, true
		}
		return o.job == j
	})
	return r, ok
}

// dismiss answers all that wait with an error.
func (h *mailHost) dismiss(err error) {
	for _, a := range h.waiting {
		a.tell(result{err: err})
	}
	h.waiting = nil
	for _, o := range h.deferred {
		o.job.tell(o.answer)
	}
	h.deferred = nil
}

// sweep forgets the hosts that are not in use when there are too many.
func (p *Pool) sweep() {
	if len(p.hosts) < max(maxHosts, 2*p.swept) {
		return
	}
	for key, h := range p.hosts {
		if !h.inUse() {
			delete(p.hosts, key)
		}
	}
	p.swept = len(p.hosts)
}

func (h *mailHost) inUse() bool {
	return len(h.waiting)+len(h.deferred)+h.underWay+h.open+h.sessions > 0
}
