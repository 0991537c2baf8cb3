package smtpprobe

import (
	"cmp"
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
	return &probe{pool: p, req: req, budget: startBudget(req.Budget), routes: routes}
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
	if h := pr.routes.wantsMore(pr.route.host); h != nil && !pr.budget.spent(ctx) {
		lookup, cancel := pr.budget.part(ctx, len(pr.routes.left) > 0)
		err := pr.routes.add(lookup, h)
		cancel()
		if err = cmp.Or(err, cancelled(ctx)); err != nil {
			return nil, err
		}
	}
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	r, ok := pr.routes.next()
	if !ok || len(pr.found.Sessions) > 0 && pr.budget.spent(ctx) {
		return nil, nil
	}
	if r.egress == nil {
		r.egress, pr.tried = pr.pool.choose(r.host, r.addr.Addr(), nil), nil
	}
	pr.route = r
	return newJob(r, pr.req, &pr.budget), nil
}

// arrived notes the outcome of a job, and reports whether nothing is left to
// ask, whatever the time. For a cancelled caller, that is the error.
func (pr *probe) arrived(ctx context.Context, r result) (end bool, err error) {
	if pr.otherWay(r) {
		err = cancelled(ctx)
		return err != nil, err
	}
	if r.session != nil {
		pr.found.Sessions = append(pr.found.Sessions, *r.session)
		pr.found.Waited = pr.budget.waited.Truncate(time.Millisecond)
		pr.routes.learn(pr.route, r)
	}
	if len(pr.route.failed) > 0 && errors.Is(r.err, context.DeadlineExceeded) {
		return true, nil // there was no time for the second try, and the first is an outcome
	}
	err = cmp.Or(cancelled(ctx), r.err)
	return err != nil || len(pr.routes.left) == 0 && pr.routes.wantsMore(pr.route.host) == nil, err
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

// budget is the time of one probe. Its clock stands still while the probe waits
// for a free session: that wait is of our making, and must neither take time
// from the host nor look like its silence.
type budget struct {
	end    time.Time     // zero: only the context bounds the probe
	waited time.Duration // by which the end was put off
}

func startBudget(d time.Duration) budget {
	if d == 0 {
		return budget{}
	}
	return budget{end: time.Now().Add(d)}
}

// extend makes up for a wait.
func (b *budget) extend(d time.Duration) {
	b.waited += d
	if !b.end.IsZero() {
		b.end = b.end.Add(d)
	}
}

// part is ctx that ends with the budget, or halfway there if others are to have
// the rest.
func (b *budget) part(ctx context.Context, others bool) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !b.end.IsZero() && (!bounded || b.end.Before(end)) {
		end, bounded = b.end, true
	}
	if !bounded {
		return context.WithCancel(ctx)
	}
	if others {
		end = time.Now().Add(time.Until(end) / 2)
	}
	return context.WithDeadline(ctx, end)
}

// spent reports whether the budget or ctx has no time left.
func (b *budget) spent(ctx context.Context) bool {
	return expired(ctx) || !b.end.IsZero() && !time.Now().Before(b.end)
}
