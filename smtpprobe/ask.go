package smtpprobe

import (
	"context"
	"sync"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
)

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
// others wait for it. ProbeAll returns when all calls have returned. The
// requests are of one [Caller], or of none: it is told of the end of one.
func (p *Pool) ProbeAll(ctx context.Context, requests []Request, done func(i int, found Findings, err error)) {
	probes := make([]*probe, len(requests))
	var others sync.WaitGroup
	b := newBatch(p, len(requests), func(r result) {
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
		b.add(ctx, j)
	}
	b.ask(ctx)
	others.Wait()
}

// ask puts a job to its mail host and waits for the result.
func (p *Pool) ask(ctx context.Context, j *job) (r result) {
	b := newBatch(p, 1, func(arrived result) { r = arrived })
	b.add(ctx, j)
	b.ask(ctx)
	return r
}

// batch is the jobs for which one goroutine waits. Each has one result.
type batch struct {
	pool    *Pool
	jobs    []*job    // by place; nil: it has its result
	caller  *Caller   // of the last of them
	results chan *job // has room for all
	arrived func(r result)
}

func newBatch(p *Pool, jobs int, arrived func(r result)) *batch {
	return &batch{pool: p, jobs: make([]*job, 0, jobs), results: make(chan *job, jobs), arrived: arrived}
}

// add adds a job, unless there is no time for it.
func (b *batch) add(ctx context.Context, j *job) {
	switch {
	case ctx.Err() != nil:
		b.arrived(result{job: j, err: gaveUp(ctx)})
	case j.budget.spent():
		b.arrived(result{job: j, session: tooLate(j)})
	default:
		j.results, j.place, b.caller = b.results, len(b.jobs), j.req.Caller
		b.jobs = append(b.jobs, j)
	}
}

// mostAtOnce is how many jobs go to the plan in one event. Other callers wait
// for the lock meanwhile.
const mostAtOnce = 200

// ask puts the jobs to their mail hosts, and waits for the results.
func (b *batch) ask(ctx context.Context) {
	for rest := b.jobs; len(rest) > 0; {
		caller, n := rest[0].req.Caller, 1
		for n < min(len(rest), mostAtOnce) && rest[n].req.Caller == caller {
			n++
		}
		b.pool.handOver(rest[:n], caller)
		rest = rest[n:]
	}
	gone, ends := ctx.Done(), b.caller.ends()
	for open := len(b.jobs); open > 0; {
		select {
		case j := <-b.results:
			open--
			b.jobs[j.place] = nil // what is known of it is not kept until the slowest has its answer
			b.arrived(j.outcome(ctx))
		case <-ends:
			ends = nil
			b.leaveOut()
		case <-gone:
			gone = nil
			b.giveUp()
		}
	}
}

// handOver tells the plan of jobs, all of one list or of none.
func (p *Pool) handOver(jobs []*job, caller *Caller) {
	questions := make([]schedule.Job, len(jobs))
	p.mu.Lock()
	defer p.unlock()
	id := p.known(caller)
	for i, j := range jobs {
		p.lastJob++
		j.id = p.lastJob
		p.jobs[j.id] = j
		questions[i] = j.question(id)
	}
	p.do(schedule.Arrive{Jobs: questions})
}

// giveUp takes the jobs back that have no answer.
func (b *batch) giveUp() {
	b.pool.mu.Lock()
	defer b.pool.unlock()
	var given []schedule.JobID
	for _, j := range b.jobs {
		if j != nil && b.pool.jobs[j.id] == j {
			given = append(given, j.id)
		}
	}
	b.pool.do(schedule.GiveUp{Jobs: given})
}

// leaveOut says that the list of the jobs ends.
func (b *batch) leaveOut() {
	b.pool.mu.Lock()
	defer b.pool.unlock()
	if l := b.pool.lists.of[b.caller]; l != nil {
		b.pool.do(schedule.CallerEnds{ID: l.id})
	}
}
