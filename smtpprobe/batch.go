//go:build !plan

package smtpprobe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// batch is the jobs for which one goroutine waits. Each has one result.
type batch struct {
	pool    *Pool
	results chan result // has room for all
	jobs    []*job      // by number; nil: it has its result, or no job has that number
	open    int         // those that have none yet
	lane    *Lane       // of the jobs
	arrived func(r result)
}

func newBatch(p *Pool, jobs int, arrived func(r result)) *batch {
	return &batch{pool: p, results: make(chan result, jobs), jobs: make([]*job, jobs), arrived: arrived}
}

// Probe asks the hosts in order until one has answered RCPT or refused finally.
// Every outcome on the wire is in the findings, a session that the budget has
// cut short included. An error means that we could not work, and comes with the
// findings so far:
//
//   - ctx ended, by a cancel or by its deadline; the error wraps ctx.Err() and
//     the cause. A deadline does not make hosts be asked with less patience:
//     that is what the budget is for.
//   - Too many wait for a session with a host; the error wraps [ErrBusy].
//   - This machine has no file descriptor or memory left to connect with; the
//     error wraps that of the dialer.
//   - The request could not be put on the wire as it is; no connection was
//     made.
//   - The pool is closed; the error wraps [ErrClosed].
func (p *Pool) Probe(ctx context.Context, req Request) (Findings, error) {
	if err := req.check(); err != nil {
		return Findings{}, err
	}
	pr := newProbe(p, &req)
	err := pr.run(ctx)
	return pr.found, err
}

// ProbeAll is [Pool.Probe] for several requests at a time. That costs less: one
// goroutine waits for all that have their answer from the first mail host that
// they are put to. Done is called once with the outcome of each request, by its
// number, perhaps from several goroutines at a time; it must be quick, as
// others wait for it. ProbeAll returns when all calls have returned.
func (p *Pool) ProbeAll(ctx context.Context, requests []Request, done func(i int, found Findings, err error)) {
	probes := make([]*probe, len(requests))
	var others sync.WaitGroup
	q := newBatch(p, len(requests), func(r result) {
		i := r.job.number
		pr := probes[i]
		probes[i] = nil // the others may take long
		if end, err := pr.arrived(ctx, r); end {
			done(i, pr.found, err)
			return
		}
		others.Go(func() {
			err := pr.run(ctx)
			done(i, pr.found, err)
		})
	})
	for i := range requests {
		if err := requests[i].check(); err != nil {
			done(i, Findings{}, err)
			continue
		}
		probes[i] = newProbe(p, &requests[i])
		j, err := probes[i].next(ctx)
		if j == nil {
			done(i, Findings{}, err)
			continue
		}
		j.number = i
		q.put(ctx, j)
	}
	q.wait(ctx)
	others.Wait()
}

// ask puts a job to its mail host and waits for the result.
func (p *Pool) ask(ctx context.Context, j *job) (r result) {
	q := newBatch(p, 1, func(arrived result) { r = arrived })
	q.put(ctx, j)
	q.wait(ctx)
	return r
}

// put puts a job to its mail host, unless the answer is known without it.
func (q *batch) put(ctx context.Context, j *job) {
	j.results = q.results
	r, known := result{}, true
	switch {
	case ctx.Err() != nil:
		r.err = gaveUp(ctx)
	case j.budget.spent():
		r.session = tooLate(j)
	case j.route.egress == nil:
		f := &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindEgress, Text: egress.ErrNone.Error()}
		r.session, r.offline = notTried(j, f), true
	default:
		if r, known = q.pool.known(j); !known {
			r.err = q.pool.submit(j)
			known = r.err != nil
		}
	}
	if known {
		r.job = j
		q.arrived(r)
		return
	}
	q.jobs[j.number] = j
	q.lane = j.req.Lane
	q.open++
}

// wait waits for the results.
func (q *batch) wait(ctx context.Context) {
	ends, limit := q.lane.done(), q.limit()
	for q.open > 0 {
		select {
		case r := <-q.results:
			q.close(r)
		case <-ends:
			ends = nil
			q.leaveOut()
		case <-limit:
			q.giveUp(nil)
			limit = q.limit()
		case <-ctx.Done():
			q.giveUp(gaveUp(ctx))
		}
	}
}

// limit tells when the first of the limits has passed; nil: there is none.
func (q *batch) limit() <-chan time.Time {
	var first time.Time
	for _, j := range q.underWay() {
		if limit := j.budget.limit; first.IsZero() || !limit.IsZero() && limit.Before(first) {
			first = limit
		}
	}
	if first.IsZero() {
		return nil
	}
	return time.After(time.Until(first))
}

// leaveOut takes the jobs back that wait for a session, as their list ends.
func (q *batch) leaveOut() {
	p := q.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range q.underWay() {
		h := p.host(j)
		if i := slices.Index(h.waiting, j); i >= 0 {
			h.waiting = slices.Delete(h.waiting, i, i+1)
			j.finish(result{err: leftOut(j)})
		}
	}
}

// close hands a result over, unless the job has one.
func (q *batch) close(r result) {
	if q.jobs[r.job.number] != r.job {
		return
	}
	q.jobs[r.job.number] = nil
	q.open--
	q.arrived(r)
}

// giveUpGrace is how long to wait for the workers whose jobs have run out of
// time at the same moment.
const giveUpGrace = 100 * time.Millisecond

// giveUp gives the open jobs up, as the caller has, which is why, or if it has
// not, those whose limit has passed. What is known of their sessions by then is
// the result; the sessions go on for others.
func (q *batch) giveUp(why error) {
	now := time.Now()
	given := slices.DeleteFunc(q.underWay(), func(j *job) bool { return why == nil && !passed(j.budget.limit, now) })
	for _, r := range q.takeBack(given, why) {
		q.close(r)
	}
	open := func(j *job) bool { return q.jobs[j.number] == j }
	given = slices.DeleteFunc(given, func(j *job) bool { return !open(j) })
	for grace := time.After(giveUpGrace); slices.ContainsFunc(given, open); {
		select {
		case r := <-q.results:
			if why == nil && r.cancelled() { // by one that gave up at the same moment
				r.session = r.job.worker.session.soFar(r.job, smtp.KindTimeout)
			}
			q.close(r)
		case <-grace:
			for _, r := range q.lastWords(slices.DeleteFunc(given, func(j *job) bool { return !open(j) }), why) {
				q.close(r)
			}
			return
		}
	}
}

func (q *batch) underWay() []*job {
	return slices.DeleteFunc(slices.Clone(q.jobs), func(j *job) bool { return j == nil })
}

// takeBack takes those of the jobs back that nobody need wait for, and returns
// their results with those that arrived at the same moment. Others may end in a
// moment by themselves: those that a worker has, if the time of the host is
// over, too, or the caller has gone; and if a host has let nobody in yet and a
// session is being opened, those that wait for it. It is silent, not busy.
func (q *batch) takeBack(given []*job, why error) (results []result) {
	p, now := q.pool, time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(q.results) > 0 {
		results = append(results, <-q.results)
	}
	for _, j := range given {
		if slices.ContainsFunc(results, func(r result) bool { return r.job == j }) {
			continue
		}
		j.queue(false)
		h := p.host(j)
		switch {
		case j.worker != nil && (why != nil || j.late(now)):
			j.gone.Store(true)
		case j.worker == nil && why == nil && p.opens(h):
		default:
			results = append(results, p.lastWord(j, why))
		}
	}
	for _, j := range given {
		if why != nil && j.worker != nil {
			p.abandon(j)
		}
	}
	return results
}

func (q *batch) lastWords(given []*job, why error) (results []result) {
	q.pool.mu.Lock()
	defer q.pool.mu.Unlock()
	for _, j := range given {
		results = append(results, q.pool.lastWord(j, why))
	}
	return results
}

// lastWord is the result of a job that is given up. The pool's lock is held.
func (p *Pool) lastWord(j *job, why error) result {
	r := result{job: j, err: why}
	if j.worker != nil {
		j.gone.Store(true)
		r.session = p.abandon(j).soFar(j, j.ending(why))
		return r
	}
	h := p.host(j)
	known, ok := h.withdraw(j)
	switch {
	case ok:
		r.session = known.session
	case why != nil:
	case p.opens(h):
		r.session = tooLate(j)
	default:
		r.session = busySession(j, h.untilTurn(time.Now(), time.Time{}))
	}
	return r
}

// opens reports whether a host has let nobody in yet, and is about to: what is
// waited for is its greeting. The pool's lock is held.
func (p *Pool) opens(h *mailHost) bool {
	return h.open == 0 && h.alive+h.starting > 0 && p.starving == 0
}

// ending is in which way the session of a job that is given up has failed. The
// host is not to blame if it lets others in, and had less time for the job than
// it is given: others are asked about in the same transaction, or most of the
// time went by while the job waited. The pool's lock is held.
func (j *job) ending(why error) smtp.Kind {
	switch {
	case why != nil:
		return smtp.KindCancelled
	case j.worker.host.open > 0 && (len(j.worker.jobs) > 1 || j.budget.waited > j.req.Budget/2):
		return smtp.KindLimited
	}
	return smtp.KindTimeout
}

// abandon ends the session of a job if it works for nobody any more, and
// returns it: a host that takes its time over many recipients would keep it for
// minutes. The pool's lock is held.
func (p *Pool) abandon(j *job) *session {
	w := j.worker
	if slices.Contains(w.jobs, j) && !slices.ContainsFunc(w.jobs, func(k *job) bool { return !k.gone.Load() }) {
		w.cancel()
	}
	return w.session
}
