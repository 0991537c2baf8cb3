package smtpprobe

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
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
	jobs     []*job        // under way
	dropped  int           // of jobs: given up by those who asked
	resting  *list.Element // of the pool's idle ones; nil: is none of them
	since    time.Time     // when it became one
	retired  bool          // is not to ask again
	failed   bool          // did not get its session open
	open     []openRefusal // of this session
	barren   bool          // the last transaction had no acceptance
	troubled bool          // a transaction was not believed, or the host showed impatience
}

// start waits for a slot, opens a session for the ask that has waited longest
// and serves all that come.
func (p *Pool) start(h *mailHost) {
	p.acquire()
	w := &worker{pool: p, host: h, nudge: make(chan struct{}, 1)}
	w.ctx, w.stop = context.WithCancel(context.Background())
	defer w.stop()
	if first := w.first(); first != nil {
		w.serve(first)
		w.leavesWaiting()
		w.session.Close(p.config.Timeouts.Quit)
	}
	p.slots.Release(1)
	p.mu.Lock()
	h.sessions--
	if w.failed {
		h.failing--
	}
	p.staff(h)
	p.mu.Unlock()
}

// leavesWaiting sees to it that those whom the session would have served do not
// wait for all of its goodbye.
func (w *worker) leavesWaiting() {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if len(w.host.waiting) > w.host.starting {
		w.pool.lookAgain(w.host, patience)
	}
}

// acquire waits for one of the slots for sessions, and has an idle session make
// room.
func (p *Pool) acquire() {
	if p.slots.TryAcquire(1) {
		return
	}
	p.mu.Lock()
	p.starving++
	p.retireFirst(1)
	p.mu.Unlock()
	_ = p.slots.Acquire(context.Background(), 1) // sessions end, so that there will be one
	p.mu.Lock()
	p.starving--
	p.mu.Unlock()
}

// cancel ends the session at once.
func (w *worker) cancel() {
	w.stop()
	w.session.Interrupt()
}

// first takes the ask to open the session for.
func (w *worker) first() *job {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.host.starting--
	w.jobs = w.pool.take(w, nil, 1, true)
	if len(w.jobs) == 0 {
		return nil
	}
	w.session = newSession(w.pool, w.jobs[0])
	return w.jobs[0]
}

// serve opens the session and jobs until nobody waits any more, or the session
// has had its time.
func (w *worker) serve(first *job) {
	if err := w.session.Open(w.ctx); err != nil {
		w.failedToOpen(first, err)
		return
	}
	w.opened(first)
	for len(w.jobs) > 0 {
		t := w.transaction()
		err := t.run(w.ctx)
		w.settle(t, err)
		if err != nil || !w.next() {
			break
		}
	}
	w.ended()
}

// transaction returns the next, with the jobs taken.
func (w *worker) transaction() *transaction {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	h := w.host
	proof, known := h.proofFor(w.jobs)
	if !known && h.heard < freeRefusals {
		proof = ""
	}
	last := known && h.limits.transactions.troubled && w.session.transactions+1 >= h.limits.transactions.now
	t := newTransaction(w.session, h, w.jobs, proof, last || known && len(w.jobs) > freeRefusals)
	if time.Since(h.heardAt) > freeAgain {
		h.heard = 0
	}
	t.known, t.heard = known, h.heard
	h.heard, h.heardAt = h.heard+len(t.named), time.Now()
	return t
}

// use is what the session was used for, and the last transaction with it.
func (w *worker) use(t *transaction) use {
	u := use{transactions: w.session.transactions, refused: w.session.refused}
	if t != nil {
		u.recipients = len(t.jobs)
	}
	return u
}

// ended notes how the session went. Refusals that are still open are asked
// about again.
func (w *worker) ended() {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if !w.troubled {
		w.host.limits.ended(w.use(nil))
	}
	w.askAgain()
}

// opened lets others come along in the first transaction.
func (w *worker) opened(first *job) {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.host.failed, w.host.wellAt = nil, time.Now()
	if !first.alone && w.ctx.Err() == nil {
		w.jobs = w.pool.take(w, w.jobs, w.pool.room(w)-cost(first, nil), false)
	}
}

// failedToOpen tells what came of the session. Where others are open, or were
// just now, the host wants no more of them for the moment: that is no answer.
// Else it is the answer for all who wait, as they would meet with the same.
func (w *worker) failedToOpen(first *job, err error) {
	p, h, s := w.pool, w.host, w.session
	p.mu.Lock()
	defer p.mu.Unlock()
	defer w.done()
	defer w.fail()
	if wire.OutOfResources(err) {
		first.tell(result{err: err})
		return
	}
	var failure *smtp.Failure
	if errors.As(err, &failure) {
		s.Note(failure.Error())
	}
	s.NoteQuit()
	p.logSession(s.findings(first), failure)
	own := failure != nil && failure.Kind == smtp.KindEgress
	others, recent := h.alive()-1, !own && time.Since(h.wellAt) < crowdLasts
	if (others > 0 || recent && first.crowded < maxTries) && !first.gone && w.ctx.Err() == nil {
		if others > 0 && !own {
			h.limits.crowded(others, time.Now())
		} else {
			h.notBefore = time.Now().Add(crowdPause)
			first.crowded++
		}
		p.resubmit(h, first, true)
		return
	}
	first.tell(result{session: s.notOpened(first, err), offline: s.Offline()})
	if w.ctx.Err() != nil || others > 0 || recent {
		return
	}
	failed := newFailedSession(s, first, err)
	if !own { // our own egress may be mended at any moment
		h.failed = failed
		h.limits.sessions.now = p.config.MaxSessionsPerHost // it was not about their number
		p.noteOpening(s)
	}
	h.giveUp(failed)
}

// fail notes that the session, which is about to end, is none of the host's
// that went well.
func (w *worker) fail() {
	w.failed = true
	w.host.failing++
}

// done notes that the jobs under way are answered.
func (w *worker) done() {
	w.host.underWay -= len(w.jobs)
	w.jobs, w.dropped = nil, 0
}

// next takes the jobs of the next transaction, and waits for some while the
// session may be kept. Open refusals get their proof first, where those who
// wait will not bring it.
func (w *worker) next() bool {
	for {
		w.pool.mu.Lock()
		if w.mustProve() && w.ctx.Err() == nil && !w.session.unreset {
			w.pool.mu.Unlock()
			if !w.prove() {
				return false
			}
			continue
		}
		ready, idle := w.continues()
		w.pool.mu.Unlock()
		if ready || !idle {
			return ready
		}
		w.rest()
	}
}

// usable reports whether the session may have another transaction. The pool's
// lock is held.
func (w *worker) usable() bool {
	p := w.pool
	if w.retired || p.closing || w.ctx.Err() != nil || w.session.spent(p.config.Session, w.host.limits.transactions.now) {
		return false
	}
	if len(w.host.accepted) == 0 && w.host.heard < freeRefusals {
		return false // the next refusal counts by itself in a session of its own only
	}
	return p.providers.wait(w.session.provider) <= 0 && p.room(w) > 0
}

// continues takes jobs if there are any, and else reports whether the session
// may wait for some.
func (w *worker) continues() (ready, idle bool) {
	p, h := w.pool, w.host
	if !w.usable() {
		return false, false
	}
	if w.jobs = p.take(w, nil, p.room(w), false); len(w.jobs) > 0 {
		return true, false
	}
	if p.starving > 0 || len(h.waiting) > 0 {
		return false, false // somebody needs the slot
	}
	p.park(w)
	return false, true
}

// rest waits until there is something to do, or the session is kept no longer.
func (w *worker) rest() {
	<-w.nudge
	if w.retired { // since before the nudge
		return
	}
	quiet := w.session.Quiet()
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.host.starting--
	w.retired = !quiet
}

// park puts a worker among the idle ones. Half of all sessions is kept for
// hosts that nobody has asked yet: to make room only when one is wanted would
// have that wait for a goodbye.
func (p *Pool) park(w *worker) {
	if p.idle.Len() >= max(1, p.config.MaxSessions/2) {
		p.retireFirst(1)
	}
	w.since = time.Now()
	w.resting = p.idle.PushBack(w)
	w.host.idle = append(w.host.idle, w)
	if p.sweeper == nil {
		p.sweeper = time.AfterFunc(p.config.Session.Idle, p.retireOld)
	}
}

// retireOld ends the sessions that have been kept long enough.
func (p *Pool) retireOld() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweeper = nil
	for first := p.idle.Front(); first != nil; first = p.idle.Front() {
		w := first.Value.(*worker)
		if left := p.config.Session.Idle - time.Since(w.since); left > 0 {
			p.sweeper = time.AfterFunc(left, p.retireOld)
			return
		}
		p.retire(w)
	}
}

// retireFirst ends as many of the idle sessions, those that have waited
// longest.
func (p *Pool) retireFirst(n int) {
	for ; n > 0 && p.idle.Len() > 0; n-- {
		p.retire(p.idle.Front().Value.(*worker))
	}
}

// unpark takes a worker off the idle ones; it is about to take jobs.
func (p *Pool) unpark(w *worker) {
	p.idle.Remove(w.resting)
	w.resting = nil
	w.host.idle = slices.DeleteFunc(w.host.idle, func(v *worker) bool { return v == w })
	w.host.starting++
	select {
	case w.nudge <- struct{}{}:
	default:
	}
}

// retire ends an idle session.
func (p *Pool) retire(w *worker) {
	w.retired = true
	p.unpark(w)
	w.host.starting--
}

// drop gives up an ask under way. The session ends at once when all who asked
// have given up.
func (w *worker) drop(a *job, cancelled bool) {
	if !slices.Contains(w.jobs, a) {
		return
	}
	w.dropped++
	if cancelled && w.dropped == len(w.jobs) {
		w.cancel()
	}
}

// logSession leaves out every text, because a server's may name the mailbox.
func (p *Pool) logSession(s *Session, failure *smtp.Failure) {
	if !p.config.Logger.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{slog.String("host", s.Host), slog.String("addr", s.Addr.String()), slog.String("tls", s.TLS)}
	if s.Egress != "" {
		attrs = append(attrs, slog.String("egress", s.Egress))
	}
	if failure != nil {
		attrs = append(attrs, slog.String("phase", string(failure.Phase)), slog.String("failure", string(failure.Kind)))
	}
	p.config.Logger.LogAttrs(context.Background(), slog.LevelDebug, "smtp session", attrs...)
}
