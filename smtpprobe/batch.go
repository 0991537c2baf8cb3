package smtpprobe

import (
	"context"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// batch is what one goroutine jobs at a time. Each ask has one answer.
type batch struct {
	pool *Pool
	told chan result // has room for all
	jobs []*job      // by number; nil: it has its answer, or there is none by that number
	open int         // those that have none yet
}

// arrival is told what became of an ask.
type arrival func(told result)

func newBatch(p *Pool, jobs int) *batch {
	return &batch{pool: p, told: make(chan result, jobs), jobs: make([]*job, jobs)}
}

// put puts a question to its mail host, unless the answer is known without it.
func (q *batch) put(ctx context.Context, a *job, arrive arrival) {
	p := q.pool
	a.deadline, _ = ctx.Deadline()
	a.told = q.told
	switch {
	case expired(ctx):
		arrive(result{to: a, session: tooLate(a)})
		return
	case a.route.egress == egress.None:
		arrive(result{to: a, session: notTried(a, &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindEgress, Text: egress.ErrNone.Error()}), offline: true})
		return
	}
	if told, known := p.paused(a); known {
		told.to = a
		arrive(told)
		return
	}
	if err := p.submit(a); err != nil {
		arrive(result{to: a, err: err})
		return
	}
	q.jobs[a.number] = a
	q.open++
}

// wait waits for the answers.
func (q *batch) wait(ctx context.Context, arrive arrival) {
	for q.open > 0 {
		select {
		case told := <-q.told:
			q.close(told, arrive)
		case <-ctx.Done():
			q.withdraw(ctx, arrive)
		}
	}
}

// close hands an answer over.
func (q *batch) close(told result, arrive arrival) {
	q.jobs[told.to.number] = nil
	q.open--
	arrive(told)
}

// withdrawGrace is how long one waits for the workers whose questions have run
// out of time at the same moment.
const withdrawGrace = 100 * time.Millisecond

// withdraw gives the open jobs up, as their context has ended. What is known of
// their sessions by then is the answer; the sessions go on for others.
func (q *batch) withdraw(ctx context.Context, arrive arrival) {
	told, idle := q.takeBack()
	for _, said := range told {
		q.close(said, arrive)
	}
	for _, a := range idle {
		q.close(result{to: a, err: waited(ctx, a)}, arrive)
	}
	for _, a := range q.jobs {
		if a != nil && cancelled(ctx) != nil {
			q.pool.abandon(a)
		}
	}
	grace := time.After(withdrawGrace)
	for q.open > 0 {
		select {
		case said := <-q.told:
			q.close(said, arrive)
		case <-grace:
			for _, a := range q.jobs {
				if a != nil {
					q.close(result{to: a, session: q.pool.abandon(a).soFar(ctx, a)}, arrive)
				}
			}
		}
	}
}

// takeBack takes the jobs back that no worker has taken, and tells those of the
// others that who asked has left. Told are those that have been told at the
// same moment.
func (q *batch) takeBack() (told []result, idle []*job) {
	p := q.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(q.told) > 0 {
		said := <-q.told
		told, q.jobs[said.to.number] = append(told, said), nil
	}
	for _, a := range q.jobs {
		switch {
		case a == nil:
		case a.worker == nil:
			h := p.host(a)
			a.queue(false)
			if said, ok := h.takeDeferred(a); ok {
				said.to = a
				told, q.jobs[a.number] = append(told, said), nil
				continue
			}
			h.withdraw(a)
			idle = append(idle, a)
		default:
			a.gone = true
			a.queue(false)
		}
	}
	return told, idle
}

// abandon ends the session of an ask if it works for nobody any more, and
// returns it: a host that takes its time over many recipients would keep it for
// minutes.
func (p *Pool) abandon(a *job) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := a.worker
	if slices.Contains(w.jobs, a) && !slices.ContainsFunc(w.jobs, func(b *job) bool { return !b.gone }) {
		w.cancel()
	}
	return w.session
}
