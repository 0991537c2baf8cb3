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
// Every outcome on the wire is in the findings, a session that the budget or
// the deadline of ctx has cut short included. An error means that we could not
// work, and comes with the findings so far:
//
//   - ctx was cancelled; the error wraps [context.Canceled].
//   - No session with a host became free before the deadline of ctx, or too
//     many wait for one already; the error wraps [ErrBusy].
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
	j.deadline, _ = ctx.Deadline()
	j.results = q.results
	r, known := result{}, true
	switch {
	case expired(ctx):
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
	ends := q.lane.done()
	for q.open > 0 {
		select {
		case r := <-q.results:
			q.close(r)
		case <-ends:
			ends = nil
			q.leaveOut()
		case <-ctx.Done():
			q.giveUp(ctx)
		}
	}
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

// close hands a result over.
func (q *batch) close(r result) {
	q.jobs[r.job.number] = nil
	q.open--
	q.arrived(r)
}

// giveUpGrace is how long to wait for the workers whose jobs have run out of
// time at the same moment.
const giveUpGrace = 100 * time.Millisecond

// giveUp gives the open jobs up, as their context has ended. What is known of
// their sessions by then is the result; the sessions go on for others.
func (q *batch) giveUp(ctx context.Context) {
	for _, r := range q.takeBack(ctx) {
		q.close(r)
	}
	if cancelled(ctx) != nil {
		for _, j := range q.underWay() {
			q.pool.abandon(j)
		}
	}
	grace := time.After(giveUpGrace)
	for q.open > 0 {
		select {
		case r := <-q.results:
			q.close(r)
		case <-grace:
			for _, j := range q.underWay() {
				q.close(result{job: j, session: q.pool.abandon(j).soFar(ctx, j)})
			}
		}
	}
}

func (q *batch) underWay() []*job {
	return slices.DeleteFunc(slices.Clone(q.jobs), func(j *job) bool { return j == nil })
}

// takeBack takes the jobs back that no worker has taken, and returns their
// results with those that arrived at the same moment.
func (q *batch) takeBack(ctx context.Context) (results []result) {
	p := q.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(q.results) > 0 {
		r := <-q.results
		results, q.jobs[r.job.number] = append(results, r), nil
	}
	for i, j := range q.jobs {
		if j == nil {
			continue
		}
		j.queue(false)
		if j.worker != nil {
			j.gone = true
			continue
		}
		h := p.host(j)
		r, ok := h.withdraw(j)
		switch {
		case ok:
		case h.inTurn && h.sessions == 0:
			r.session = limitedSession(j, h.untilTurn(time.Now(), time.Time{}))
		default:
			r.err = waited(ctx, j)
		}
		r.job, q.jobs[i] = j, nil
		results = append(results, r)
	}
	return results
}

// abandon ends the session of a job if it works for nobody any more, and
// returns it: a host that takes its time over many recipients would keep it for
// minutes.
func (p *Pool) abandon(j *job) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := j.worker
	if slices.Contains(w.jobs, j) && !slices.ContainsFunc(w.jobs, func(k *job) bool { return !k.gone }) {
		w.cancel()
	}
	return w.session
}
