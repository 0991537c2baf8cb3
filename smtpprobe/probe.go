package smtpprobe

import (
	"cmp"
	"context"
)

// trip is the way of one request from mail host to mail host.
type probe struct {
	pool  *Pool
	req   *Request
	left  budget
	tour  tour
	route route // of the last question; zero: there was none
	found Findings
}

func newProbe(p *Pool, req *Request) *probe {
	return &probe{pool: p, req: req, left: startBudget(req.Budget), tour: newTour(req.Hosts, p.config.Port, p.config.Egresses)}
}

// goOn jobs the next hosts until nothing is left to ask.
func (t *probe) goOn(ctx context.Context) error {
	for {
		a, err := t.next(ctx)
		if a == nil {
			return err
		}
		if end, err := t.arrive(ctx, t.pool.visit(ctx, a)); end {
			return err
		}
	}
}

// next returns the next question; nil: there is none.
func (t *probe) next(ctx context.Context) (*job, error) {
	if err := cmp.Or(t.prolong(ctx), cancelled(ctx)); err != nil {
		return nil, err
	}
	r, ok := t.tour.next()
	if !ok || len(t.found.Sessions) > 0 && t.left.spent(ctx) {
		return nil, nil
	}
	t.route = r
	return newJob(r, t.req, &t.left), nil
}

// arrive notes what the host said, and reports whether nothing is left to ask,
// whatever the time. Who has given up is told so, whatever else there is.
func (t *probe) arrive(ctx context.Context, told result) (end bool, err error) {
	if told.session != nil {
		t.found.Sessions = append(t.found.Sessions, *told.session)
		t.tour.learn(t.route, told)
	}
	err = cmp.Or(cancelled(ctx), told.err)
	return err != nil || len(t.tour.routes) == 0 && !t.tour.wantsMore(t.route.host), err
}

// prolong has the host that was asked last asked for more addresses, where that
// may lead to an answer.
func (t *probe) prolong(ctx context.Context) error {
	if !t.tour.wantsMore(t.route.host) || t.left.spent(ctx) || t.pool.restrained(t.route) {
		return nil
	}
	return t.tour.prolong(ctx, &t.left, t.route.host)
}
