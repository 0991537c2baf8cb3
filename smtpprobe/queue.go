//go:build !plan

package smtpprobe

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// submit lets a job wait for a session.
func (p *Pool) submit(j *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return ErrClosed
	}
	if j.route.egress.Leaving {
		return errMoved
	}
	h := p.host(j)
	if j.req.Queued == nil && h.full(p.config.MaxWaitingPerHost) {
		return busy(j)
	}
	if j.req.Lane.ended() {
		return leftOut(j)
	}
	if lane := j.req.Lane; lane != nil && lane.MayWait != nil && h.paced.full(lane.MayWait()) {
		return p.heldBack(h, j)
	}
	j.since = time.Now()
	if len(j.route.failed) > 0 {
		h.goesFirst(j) // its time began with the session that failed
	} else {
		h.lineUp(j)
	}
	j.queue(true)
	p.schedule(h)
	return nil
}

// full reports whether so many jobs wait for a session, beside those that are
// about to have one. Jobs whose callers are told of waits are not counted.
func (h *mailHost) full(most int) bool {
	n := -max(0, h.window.Size(time.Now())-h.sessions+h.starting+h.called)
	for _, j := range h.waiting {
		if j.req.Queued == nil {
			n++
		}
	}
	return n >= most
}

// resubmit lets a job wait again, ahead of all others of its rank but those to
// be asked alone: their answers help the others. If it shared the transaction,
// its time begins anew: another job may be why it is asked again. The pool's
// lock is held.
func (p *Pool) resubmit(h *mailHost, j *job, shared bool) {
	now := time.Now()
	if shared || j.worker == nil {
		j.budget.extend(now.Sub(j.since))
	}
	j.worker, j.since = nil, now
	switch {
	case p.closing:
		j.finish(result{err: ErrClosed})
		return
	case h.key.egress.Leaving:
		j.finish(result{err: errMoved})
		return
	case j.req.Lane.ended():
		j.finish(result{err: leftOut(j)})
		return
	}
	h.goesFirst(j)
	j.queue(true)
}

// goesFirst has a job wait in front of those of its rank.
func (h *mailHost) goesFirst(j *job) {
	at, to := h.rank(j)
	for !j.alone && at < to && h.waiting[at].alone {
		at++
	}
	h.waiting = slices.Insert(h.waiting, at, j)
}

// withdraw takes a job off those that wait. The answer of one that waits for
// others to be accepted is known.
func (h *mailHost) withdraw(j *job) (r result, ok bool) {
	h.waiting = slices.DeleteFunc(h.waiting, func(k *job) bool { return k == j })
	h.deferred = slices.DeleteFunc(h.deferred, func(o openRefusal) bool {
		if o.job == j {
			r, ok = result{session: o.session}, true
		}
		return o.job == j
	})
	return r, ok
}

// failWaiting finishes the jobs that wait and that answer has a result for.
// Their wait does not count against their time.
func (h *mailHost) failWaiting(answer func(*job) (result, bool)) {
	h.waiting = slices.DeleteFunc(h.waiting, func(j *job) bool {
		r, ok := answer(j)
		if ok {
			j.budget.extend(time.Since(j.since))
			j.finish(r)
		}
		return ok
	})
}

// closeQueue answers all jobs that wait, as the pool is closed.
func (h *mailHost) closeQueue() {
	h.failWaiting(func(*job) (result, bool) { return result{err: ErrClosed}, true })
	for _, o := range h.deferred {
		o.job.finish(result{session: o.session})
	}
	h.deferred = nil
}

// take takes the jobs of the next transaction off those that wait: of the same
// kind as the first, and with their controls at most so many recipients. One
// that must be alone goes to a fresh session, first and by itself. The pool's
// lock is held.
func (p *Pool) take(w *worker, already []*job, capacity int, fresh bool) []*job {
	h := w.host
	if _, ok := h.paced.Paused(time.Now()); ok {
		h.failWaiting(func(j *job) (result, bool) { return result{session: h.paced.pausedSession(j)}, true })
	}
	if len(h.waiting) == 0 {
		return already
	}
	taken, list := already, h.singles() == 0
	if len(already) > 0 {
		list = already[0].ofList()
	}
	may := w.mayName(list)
	if may < pace.LeastNamed || list && len(already) == 0 && !h.servesLists() {
		return already
	}
	capacity = min(capacity, may-2-2*len(already)) // a proof and a control come with it
	rest := h.waiting[:0]
	for i, j := range h.waiting {
		if j.ofList() != list || !suits(j, taken, fresh) {
			rest = append(rest, j)
			continue
		}
		if j.control = nil; j.req.Control != "" {
			j.control = p.domains.control(h.key.addr, j.domain)
		}
		if capacity -= cost(j, taken); capacity < 0 && len(taken) > 0 {
			rest = append(rest, h.waiting[i:]...)
			break
		}
		h.serve(j)
		j.taken(w, len(taken) > 0)
		taken = append(taken, j)
		h.underWay++
	}
	if len(already) == 0 && len(taken) > 0 {
		h.serves(nil, taken)
	}
	clear(h.waiting[len(rest):])
	h.waiting = rest
	return taken
}

// suits reports whether a job can be part of the transaction of those taken
// before it.
func suits(j *job, taken []*job, fresh bool) bool {
	if j.alone || len(taken) == 0 {
		return !j.alone || fresh
	}
	first, size := taken[0], len(taken)+1
	return !first.alone && j.req.SMTPUTF8 == first.req.SMTPUTF8 && j.allows(size) && first.allows(size)
}

// cost is the number of recipients to be named for a job beside those of
// others.
func cost(j *job, others []*job) int {
	if j.control != nil || j.req.Control == "" {
		return 1
	}
	for _, k := range others {
		if k.domain == j.domain && k.control == nil && k.req.Control != "" {
			return 1 // the control is named already
		}
	}
	return 2
}
