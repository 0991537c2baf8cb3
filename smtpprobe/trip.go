package smtpprobe

import (
	"cmp"
	"context"
)

// trip is the way of one request from mail host to mail host.
type trip struct {
	pool  *Pool
	req   *Request
	left  budget
	tour  tour
	route route // of the last question
	found Findings
}

func newTrip(p *Pool, req *Request) *trip {
	return &trip{pool: p, req: req, left: startBudget(req.Budget), tour: newTour(req.Hosts, p.config.Port, p.config.Egresses)}
}

// goOn asks the next hosts until nothing is left to ask.
func (t *trip) goOn(ctx context.Context) error {
	for {
		a, err := t.next(ctx)
		if a == nil {
			return err
		}
		told, err := t.pool.visit(ctx, a)
		t.arrive(told)
		if err != nil || t.over() {
			return cmp.Or(err, cancelled(ctx))
		}
		if err := t.prolong(ctx); err != nil {
			return err
		}
	}
}

// follow is goOn after a question that was answered.
func (t *trip) follow(ctx context.Context) error {
	if err := t.prolong(ctx); err != nil {
		return err
	}
	return t.goOn(ctx)
}

// next returns the next question; nil: there is none.
func (t *trip) next(ctx context.Context) (*ask, error) {
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	r, ok := t.tour.next()
	if !ok || len(t.found.Sessions) > 0 && t.left.spent(ctx) {
		return nil, nil
	}
	t.route = r
	return newAsk(r, t.req, &t.left), nil
}

// arrive notes what the host said.
func (t *trip) arrive(told answer) {
	if told.session != nil {
		t.found.Sessions = append(t.found.Sessions, *told.session)
		t.tour.learn(t.route, told)
	}
}

// over reports whether there is nothing left to ask, whatever the time.
func (t *trip) over() bool {
	return len(t.tour.routes) == 0 && !t.tour.wantsMore(t.route.host)
}

// prolong has the host asked for more addresses where that may lead to an answer.
func (t *trip) prolong(ctx context.Context) error {
	if !t.tour.wantsMore(t.route.host) || t.left.spent(ctx) || t.pool.restrained(t.route) {
		return nil
	}
	return t.tour.prolong(ctx, &t.left, t.route.host)
}
