package smtpprobe

import (
	"context"
	"slices"
	"time"
)

// inquiry is what one goroutine asks at a time. Each ask has one answer.
type inquiry struct {
	pool *Pool
	told chan answer // has room for all
	asks []*ask      // by number; nil: it has its answer, or there is none by that number
	open int         // those that have none yet
}

// arrival is told what became of an ask.
type arrival func(told answer)

func newInquiry(p *Pool, asks int) *inquiry {
	return &inquiry{pool: p, told: make(chan answer, asks), asks: make([]*ask, asks)}
}

// put puts a question to its mail host, unless the answer is known without it.
func (q *inquiry) put(ctx context.Context, a *ask, arrive arrival) {
	p := q.pool
	a.deadline, _ = ctx.Deadline()
	a.told = q.told
	switch {
	case expired(ctx):
		arrive(answer{to: a, session: tooLate(a)})
		return
	case a.route.egress == noEgress:
		arrive(answer{to: a, session: withoutEgress(a), offline: true})
		return
	}
	if told, known := p.paused(a); known {
		told.to = a
		arrive(told)
		return
	}
	if err := p.submit(a); err != nil {
		arrive(answer{to: a, err: err})
		return
	}
	q.asks[a.number] = a
	q.open++
}

// wait waits for the answers.
func (q *inquiry) wait(ctx context.Context, arrive arrival) {
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
func (q *inquiry) close(told answer, arrive arrival) {
	q.asks[told.to.number] = nil
	q.open--
	arrive(told)
}

// withdrawGrace is how long one waits for the workers whose questions have run out of time at the same moment.
const withdrawGrace = 100 * time.Millisecond

// withdraw gives the open asks up, as their context has ended. What is known of their sessions by then is the answer; the sessions go on for others.
func (q *inquiry) withdraw(ctx context.Context, arrive arrival) {
	told, idle := q.takeBack(cancelled(ctx) != nil)
	for _, said := range told {
		q.close(said, arrive)
	}
	for _, a := range idle {
		q.close(answer{to: a, err: busy(a)}, arrive)
	}
	grace := time.After(withdrawGrace)
	for q.open > 0 {
		select {
		case said := <-q.told:
			q.close(said, arrive)
		case <-grace:
			for _, a := range q.asks {
				if a != nil {
					q.close(answer{to: a, session: q.pool.abandon(a).soFar(ctx, a)}, arrive)
				}
			}
		}
	}
}

// takeBack takes the asks back that no worker has taken, and tells those of the others that who asked has left. Told are those that have been told at
// the same moment.
func (q *inquiry) takeBack(cancelled bool) (told []answer, idle []*ask) {
	p := q.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(q.told) > 0 {
		said := <-q.told
		told, q.asks[said.to.number] = append(told, said), nil
	}
	for _, a := range q.asks {
		switch {
		case a == nil:
		case a.worker == nil:
			p.host(a).forget(a)
			a.queue(false)
			idle = append(idle, a)
		default:
			a.gone = true
			a.queue(false)
			a.worker.drop(a, cancelled)
		}
	}
	return told, idle
}

// abandon ends the session of an ask if it works for nobody any more, and returns it: a host that takes its time over many recipients would keep it
// for minutes.
func (p *Pool) abandon(a *ask) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := a.worker
	if slices.Contains(w.asks, a) && w.dropped == len(w.asks) {
		w.cancel()
	}
	return w.session
}
