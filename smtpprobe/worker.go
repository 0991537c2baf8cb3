//go:build !plan

package smtpprobe

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// worker runs one session with a mail host, from the wait for a slot to QUIT.
type worker struct {
	pool    *Pool
	host    *mailHost
	session *session
	ctx     context.Context // ends when the session has to end at once
	stop    context.CancelFunc
	nudge   chan struct{} // has room for one; wakes the worker while it is idle

	// The pool's lock guards the rest.
	jobs     []*job    // under way
	called   int       // 1: it was idle, and is about to take jobs
	retired  bool      // is not to ask again
	began    time.Time // the session, or its last transaction
	troubled bool      // a transaction was not believed
}

// start waits for a slot, opens a session for the job that has waited
// longest and serves all that come; list: no single check waited for it.
func (p *Pool) start(h *mailHost, list bool) {
	if list {
		p.acquire(p.listSlots)
		defer p.listSlots.Release(1)
	}
	p.acquire(p.slots)
	w := &worker{pool: p, host: h, nudge: make(chan struct{}, 1)}
	w.ctx, w.stop = context.WithCancel(context.Background())
	defer w.stop()
	if first := w.first(); first != nil {
		w.serve(first)
		w.session.Close(p.config.Timeouts.Quit)
	}
	p.slots.Release(1)
	p.mu.Lock()
	h.sessions--
	p.ended(w)
	p.schedule(h)
	p.mu.Unlock()
}

// leaves notes that the session no longer counts as open. The jobs that it
// would have taken do not wait until QUIT is answered. The pool's lock is held.
func (w *worker) leaves() {
	w.host.alive--
	w.host.paced.alive--
	if len(w.host.waiting) > w.host.starting+w.host.called {
		w.pool.scheduleIn(w.host, newSessionDelay)
	}
}

// acquire waits for one of the slots for sessions, and has an idle session make
// room.
func (p *Pool) acquire(slots *semaphore.Weighted) {
	if slots.TryAcquire(1) {
		return
	}
	p.mu.Lock()
	p.starving++
	if len(p.idle) > 0 {
		p.retire(p.idle[0])
	}
	p.mu.Unlock()
	_ = slots.Acquire(context.Background(), 1) // sessions end, so that there will be one
	p.mu.Lock()
	p.starving--
	p.mu.Unlock()
}

// cancel ends the session at once.
func (w *worker) cancel() {
	w.stop()
	w.session.Interrupt()
}

// first takes the job to open the session for.
func (w *worker) first() *job {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.host.starting--
	w.jobs = w.pool.take(w, nil, 1, true)
	if len(w.jobs) == 0 {
		return nil
	}
	w.session, w.began = newSession(w.pool, w.host, w.jobs[0]), time.Now()
	w.pool.ready.Do(func() { w.pool.workers.Go(w.pool.readRules) })
	w.host.alive++
	w.host.paced.alive++
	return w.jobs[0]
}

// readRules has the rules for replies parsed, which the first reading does. It
// takes some 20 ms of processor time, best spent while a mail host is awaited.
func (p *Pool) readRules() { p.config.Classifier.Read(replies.Input{}) }

// serve opens the session and carries out transactions until no job waits any
// more, or the session has been used enough.
func (w *worker) serve(first *job) {
	if err := w.session.Open(w.ctx); err != nil {
		w.failedToOpen(first, err)
		return
	}
	w.opened(first)
	for len(w.jobs) > 0 {
		t := w.transaction()
		err := w.session.mail.Run(w.ctx, t.asked)
		w.settle(t, err)
		if err != nil || !w.next() {
			break
		}
	}
	w.ended()
}

// transaction returns the next, with the jobs taken.
func (w *worker) transaction() *talk {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.began = time.Now()
	h := w.host
	w.session.Shun(h.trials.failed(w.began)) // other sessions may have found that out
	proof, known := h.proofFor(w.jobs)
	wanted := known && (h.limits.transactions.troubled || len(w.jobs) > 1)
	if !wanted && (!w.jobs[0].alone || h.unheard(w.jobs)) {
		proof = ""
	}
	t := newTalk(w.session, h, w.jobs, proof)
	t.judge.ProofKnown = known
	h.hears(t, w.began)
	h.paced.Named(len(t.asked.Outcome.Named), w.began)
	return t
}

// use is what the session was used for, and the last transaction with it.
func (w *worker) use(t *talk) use {
	u := use{
		transactions: w.session.mail.Transactions, refused: w.session.mail.Refused,
		usedUp: w.host.untilRefused(w.session) <= 0,
	}
	if t != nil {
		u.recipients = len(t.jobs)
	}
	return u
}

// ended notes that the session had its last transaction. Refusals that are
// still open are asked about again.
func (w *worker) ended() {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.learnLimits()
	w.host.open--
	w.leaves()
}

// learnLimits notes what the whole session has shown about the limits of the
// host.
func (w *worker) learnLimits() {
	if !w.troubled {
		w.host.limits.ended(w.use(nil))
	}
}

// opened lets others come along in the first transaction.
func (w *worker) opened(first *job) {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.host.open++
	w.host.failed, w.host.wellAt = nil, time.Now()
	w.pool.heard(w.session, nil)
	if w.session.Opening().TLS != "" {
		w.host.trials.pass(wire.STARTTLS, w.host.wellAt)
	}
	if w.session.Offers("SMTPUTF8") {
		w.host.limits.trust(belief.OffersSMTPUTF8, w.host.wellAt)
	}
	if w.ctx.Err() == nil {
		w.jobs = w.pool.take(w, w.jobs, w.host.capacity(w.session)-cost(first, nil), false)
	}
}

// failedToOpen handles a session that could not be opened. If other sessions
// are open or were just now, the host has reached its limit: the job waits.
// Otherwise the failure answers all jobs that wait. If the host did not answer
// at all, only the sessions that it has greeted count as open: how it will
// answer those that are being opened is not known.
func (w *worker) failedToOpen(first *job, err error) {
	p, h, s := w.pool, w.host, w.session
	p.mu.Lock()
	defer p.mu.Unlock()
	defer w.leaves()
	defer w.done(nil)
	if wire.OutOfResources(err) {
		first.finish(result{err: err})
		return
	}
	var failure *smtp.Failure
	if errors.As(err, &failure) {
		s.Note(failure.Error())
	}
	s.NoteQuit()
	s.logEnd(failure)
	p.heard(s, failure)
	own := failure != nil && failure.Kind == smtp.KindEgress
	trial := s.FailedTrial(err)
	if !own && trial == "" {
		p.noteOpening(s)
	}
	others, recent := h.alive-1, !own && time.Since(h.wellAt) < atLimitLasts || s.oneTooMany()
	if unanswered(failure) {
		others = h.open
	}
	if trial != "" && !h.trials.passed(trial) {
		others, recent = 0, false // that it fails is no matter of how many sessions there are
	}
	if (others > 0 || recent && first.atLimit < maxAtLimit) && !first.left(time.Now()) && w.ctx.Err() == nil {
		if others > 0 && !own {
			h.window.AtLimit(h.alive, w.began, time.Now())
		} else {
			h.notBefore = time.Now().Add(atLimitPause)
			first.atLimit++
		}
		p.resubmit(h, first, true)
		return
	}
	first.finish(result{session: s.notOpened(first, err), offline: s.Offline()})
	if trial != "" {
		h.trials.fail(trial, time.Now())
		return
	}
	if w.ctx.Err() != nil || others > 0 || recent {
		return
	}
	failed := newFailedSession(s, first, err)
	if !own { // our own egress may be mended at any moment
		h.failed = failed
	}
	h.failWaiting(failed.answer)
}

// unanswered reports whether a session failed because the host was out of reach
// or silent.
func unanswered(f *smtp.Failure) bool {
	return f != nil && (f.Kind == smtp.KindTimeout || f.Kind == smtp.KindUnreachable || f.Kind == smtp.KindRefused)
}

// done notes that the jobs under way are answered, but for some. The pool's
// lock is held.
func (w *worker) done(but []*job) {
	w.host.underWay -= len(w.jobs) - len(but)
	w.host.serves(w.jobs, but)
	w.jobs = but
	w.host.giveUpDeferred()
}

// next takes the jobs of the next transaction, and waits for some while the
// session may be kept.
func (w *worker) next() bool {
	for {
		ready, idle := w.continues()
		if ready || !idle {
			return ready
		}
		w.rest()
	}
}

// usable reports whether the session may have another transaction. The pool's
// lock is held.
func (w *worker) usable() bool {
	p, h := w.pool, w.host
	switch {
	case w.retired || p.closing || h.key.egress.Leaving || w.ctx.Err() != nil:
		return false
	case w.session.spent(h.limits.transactions.now):
		return false
	case h.alive > h.window.Size(time.Now()):
		return false
	}
	return !w.hasHadItsTurn() && w.mayName(false) >= pace.LeastNamed && h.capacity(w.session) > 0
}

// continues takes jobs if there are any, and else reports whether the session
// may wait for some.
func (w *worker) continues() (ready, idle bool) {
	p, h := w.pool, w.host
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.usable() {
		return false, false
	}
	if w.jobs = p.take(w, nil, h.capacity(w.session), false); len(w.jobs) > 0 {
		return true, false
	}
	listIsOver := len(h.waiting) > 0 && h.forList() && w.mayName(true) < pace.LeastNamed
	if listIsOver || p.starving > 0 || len(h.paced.turn) > 0 {
		return false, false // somebody needs the slot
	}
	p.park(w)
	p.schedule(h) // what it cannot take may need its place
	return false, true
}
