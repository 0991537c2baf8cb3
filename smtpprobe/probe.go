//go:build !plan

package smtpprobe

import (
	"context"
	"errors"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// probe is one request on its way from mail host to mail host.
type probe struct {
	pool   *Pool
	req    *Request
	budget budget
	routes routes
	route  route              // of the last job; zero: there was none
	tried  []*egresses.Egress // egresses by which that host could not be asked
	found  Findings
}

func newProbe(p *Pool, req *Request) *probe {
	routes := newRoutes(req.Hosts, p.config.Port)
	return &probe{pool: p, req: req, budget: startBudget(req), routes: routes}
}

// run asks the next hosts until nothing is left to ask.
func (pr *probe) run(ctx context.Context) error {
	for {
		j, err := pr.next(ctx)
		if j == nil {
			return err
		}
		if end, err := pr.arrived(ctx, pr.pool.ask(ctx, j)); end {
			return err
		}
	}
}

// next returns the next job; nil: no job is left.
func (pr *probe) next(ctx context.Context) (*job, error) {
	if h := pr.routes.wantsMore(pr.route.host); h != nil && ctx.Err() == nil && !pr.budget.spent() {
		lookup, cancel := pr.budget.part(ctx, len(pr.routes.left) > 0)
		err := pr.routes.add(lookup, h)
		cancel()
		if err != nil {
			return nil, err
		}
	}
	if err := gaveUp(ctx); err != nil {
		return nil, err
	}
	r, ok := pr.routes.next()
	if !ok || len(pr.found.Sessions) > 0 && pr.budget.spent() {
		return nil, nil
	}
	if r.egress == nil {
		r.egress, pr.tried = pr.pool.choose(r.host, r.addr.Addr(), nil), nil
	}
	pr.route = r
	return newJob(r, pr.req, &pr.budget), nil
}

// arrived notes the outcome of a job, and reports whether nothing is left to
// ask, whatever the time. A caller that gave up has the answer if it is one.
func (pr *probe) arrived(ctx context.Context, r result) (end bool, err error) {
	if pr.otherWay(r) {
		err = gaveUp(ctx)
		return err != nil, err
	}
	if len(pr.route.failed) > 0 && pr.budget.spent() && r.limited() {
		return true, nil // there was no time for the second try, and the first is an outcome
	}
	if r.session != nil {
		pr.found.Sessions = append(pr.found.Sessions, *r.session)
		pr.found.Waited = pr.budget.waited.Truncate(time.Millisecond)
		pr.routes.learn(pr.route, r)
	}
	end = len(pr.routes.left) == 0 && pr.routes.wantsMore(pr.route.host) == nil
	if r.err == nil && (!end || r.cancelled()) {
		r.err = gaveUp(ctx)
	}
	return end || r.err != nil, r.err
}

// otherWay puts the route of the last job in front again, by another egress, if
// the host was not asked for no fault of its own: the egress failed or was
// removed, or the provider is paused by it. It reports whether there is one.
func (pr *probe) otherWay(r result) bool {
	again := pr.route
	switch f := r.failure(); {
	case errors.Is(r.err, errMoved):
		again.egress = nil
	case len(pr.tried) == maxWays-1:
		return false
	case f != nil && (f.Kind == smtp.KindEgress || f.Kind == smtp.KindPaused):
		pr.tried = append(pr.tried, again.egress)
		if again.egress = pr.pool.choose(again.host, again.addr.Addr(), pr.tried); again.egress == nil {
			return false
		}
		if f.Kind == smtp.KindEgress {
			pr.found.Sessions = append(pr.found.Sessions, *r.session)
		}
	default:
		return false
	}
	pr.routes.again(again)
	return true
}
