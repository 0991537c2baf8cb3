package verdictcache

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// ask verifies for a caller, and shares the verification with others.
func (c *Cache) ask(ctx context.Context, m mailbox) (engine.Result, error) {
	a, joined := c.calls.do(ctx, m.text(), func(ctx context.Context) answer { return c.verify(ctx, m, true) })
	if joined {
		c.counts.joined.Add(1)
	}
	if a.err != nil && a.result.Details == nil {
		a.result = c.fault(m, a.err)
	}
	m.spell(&a.result)
	return a.result, a.err
}

// verify asks the engine and remembers the result. With schedule, a greylisted
// mailbox will be re-checked.
func (c *Cache) verify(ctx context.Context, m mailbox, schedule bool) answer {
	hurried := c.hurried(ctx)
	generation, basis := c.generation.Load(), c.config.Basis()
	result, err := c.config.Engine.VerifyAnew(ctx, m.given)
	a := answer{result: result, err: err, settled: !hurried || settles(result)}
	if err == nil && a.settled && c.config.Basis() == basis {
		c.keep(context.WithoutCancel(ctx), m, result, generation, basis, schedule)
	}
	return a
}

// hurried reports whether a verification has clearly less time than usual, as a
// request may ask for.
func (c *Cache) hurried(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < c.config.Timeout-c.config.Timeout/10
}

// settles reports whether more time could not have changed the result: it is a
// verdict, or a refusal by a mail host. An acceptance without the reply about
// the random recipient is neither, nor is silence.
func settles(r engine.Result) bool {
	return r.Verdict != engine.Unknown || r.Details != nil && r.Details.SMTP != nil && r.Details.SMTP.Code >= 400
}

// keep remembers a result for as long as it lasts. An unknown does not replace
// a verdict that is still valid.
func (c *Cache) keep(ctx context.Context, m mailbox, r engine.Result, generation uint64, basis string, schedule bool) {
	lasts := r.Lasts()
	if c.memory == nil || lasts <= 0 || c.generation.Load() != generation {
		return
	}
	if r.Verdict == engine.Unknown {
		if known, from := c.recall(ctx, m); from != nowhere && known.Verdict != engine.Unknown {
			return
		}
	}
	expires := r.Details.CheckedAt.Add(lasts)
	c.memory.put(m, newRemembered(m, r, generation, expires), lasts)
	if c.stored != nil && durable[r.Details.Reason] {
		c.stored.put(m, r, basis, expires)
	}
	if schedule && r.Details.Reason == engine.Greylisted {
		c.schedule(m, r)
	}
}

// fault returns the result for a caller that gave up, or whose verification
// could not be carried out.
func (c *Cache) fault(m mailbox, err error) engine.Result {
	return engine.Decide(engine.Evidence{
		Schema: engine.EvidenceSchema, Email: m.given, Local: m.parts.Local, Domain: m.parts.Domain, Mailbox: m.text(),
		Fault: err.Error(), StartedAt: c.config.Now().UTC(),
	}, engine.Policy{})
}
