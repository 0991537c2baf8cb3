package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// probe is one request on its way from mail host to mail host.
type probe struct {
	pool   *Pool
	req    *Request
	budget budget
	routes routes
	route  route               // of the last job; zero: there was none
	tried  []schedule.EgressID // egresses by which that host could not be asked
	last   result              // that the last of them had; zero: there is none
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
		pr.noteLast()
		return nil, err
	}
	r, ok := pr.routes.next()
	if !ok || (len(pr.found.Sessions) > 0 || pr.last.job != nil) && pr.budget.spent() {
		pr.noteLast()
		return nil, nil
	}
	pr.route = r
	j := newJob(r, pr.req, &pr.budget)
	j.without = pr.tried
	return j, nil
}

// arrived notes the outcome of a job, and reports whether nothing is left to
// ask, whatever the time. A caller that gave up has the answer if it is one.
func (pr *probe) arrived(ctx context.Context, r result) (end bool, err error) {
	r, final := pr.byEgress(r)
	if !final {
		pr.routes.again(pr.route)
		return false, nil
	}
	if len(pr.route.failed) > 0 && pr.budget.spent() && r.limited() {
		return true, nil // there was no time for the second try, and the first is an outcome
	}
	if r.session != nil {
		pr.note(r.session)
		pr.routes.learn(pr.route, r)
	}
	end = len(pr.routes.left) == 0 && pr.routes.wantsMore(pr.route.host) == nil
	if r.err == nil && (!end || r.cancelled()) {
		r.err = gaveUp(ctx)
	}
	return end || r.err != nil, r.err
}

func (pr *probe) note(s *Session) {
	pr.found.Sessions = append(pr.found.Sessions, *s)
	pr.found.Waited = pr.budget.waited.Truncate(time.Millisecond)
}

// byEgress returns what the outcome of a job is worth. It is not final where
// the host was not asked for no fault of its own, and another egress may ask
// it: the egress failed or was removed, or the provider is paused by it. If
// none is left, what happened by the last one is final.
func (pr *probe) byEgress(r result) (outcome result, final bool) {
	none := r.job.answer.result == schedule.NoEgress && r.session != nil
	f := r.failure()
	switch {
	case errors.Is(r.err, errMoved):
		return r, false
	case none && pr.last.job != nil:
		r = pr.last
	case f != nil && (f.Kind == smtp.KindEgress || f.Kind == smtp.KindPaused) && !none && pr.mayTryAnother():
		pr.noteLast()
		pr.tried = append(slices.Clip(pr.tried), r.job.answer.egress)
		pr.last = r
		return r, false
	default:
		pr.noteLast()
	}
	pr.tried, pr.last = nil, result{}
	return r, true
}

// mayTryAnother reports whether another egress may ask the host.
func (pr *probe) mayTryAnother() bool {
	return len(pr.tried) < maxWays-1 && pr.pool.severalWays.Load()
}

// noteLast notes a session that failed for its egress, and behind which another
// was to be tried.
func (pr *probe) noteLast() {
	if f := pr.last.failure(); f != nil && f.Kind == smtp.KindEgress {
		pr.note(pr.last.session)
	}
	pr.last = result{}
}
