package verdictcache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// answer is the outcome of a verification.
type answer = flight.Answer[rcpt.Result]

// ask verifies for a caller, and shares the verification with others, unless
// there is nothing left to wait for.
func (c *Cache) ask(ctx context.Context, m mailbox, timeout time.Duration) (rcpt.Result, error) {
	if timeout >= c.config.Timeout {
		timeout = 0 // the engine's own is as long
	}
	var a answer
	if ctx.Err() != nil {
		a = c.verify(ctx, m, timeout, true)
	} else {
		var joined bool
		if a, joined = c.share(ctx, m, timeout, true); joined {
			c.counts.joined.Add(1)
		}
	}
	if a.Err != nil && a.Value.Details == nil {
		a.Value = c.fault(m, a.Err)
	}
	m.spell(&a.Value)
	return a.Value, a.Err
}

// share verifies a mailbox, or joins a verification of it with the same time
// limit. With schedule, a greylisted mailbox will be re-checked.
func (c *Cache) share(ctx context.Context, m mailbox, timeout time.Duration, schedule bool) (a answer, joined bool) {
	return c.calls.Do(ctx, fmt.Sprintf("%v %s", timeout, m.text()), func(ctx context.Context) answer {
		return c.verify(ctx, m, timeout, schedule)
	})
}

// verify asks the engine and remembers the result.
func (c *Cache) verify(ctx context.Context, m mailbox, timeout time.Duration, schedule bool) answer {
	generation, fingerprint := c.generation.Load(), c.config.Fingerprint()
	result, err := c.config.Engine.VerifyWith(ctx, m.given, engine.VerifyOptions{Fresh: true, Timeout: timeout})
	if err == nil && c.settled(result, timeout) && c.config.Fingerprint() == fingerprint {
		c.keep(context.WithoutCancel(ctx), m, result, generation, fingerprint, schedule)
	}
	return answer{Value: result, Err: err}
}

// settled reports whether a result that had this time limit is one for callers
// with more time, too.
func (c *Cache) settled(r rcpt.Result, timeout time.Duration) bool {
	return timeout == 0 || timeout >= c.config.Timeout || r.Settled()
}

// keep remembers a result until it expires, unless a better one is remembered.
func (c *Cache) keep(
	ctx context.Context, m mailbox, r rcpt.Result, generation uint64, fingerprint string, schedule bool,
) {
	expires := c.expires(r)
	if c.memory == nil || expires.IsZero() || c.generation.Load() != generation {
		return
	}
	if r.Verdict == rcpt.VerdictUnknown { // otherwise the store need not be asked
		if known, from := c.recall(ctx, m); from != nowhere && !r.Replaces(known) {
			return
		}
	}
	c.memory.put(m, newRemembered(m, r, generation))
	if c.stored != nil && r.Reason.Durable() {
		c.stored.put(m, r, fingerprint, expires)
	}
	if schedule && r.Reason == rcpt.ReasonGreylisted {
		c.schedule(m, r)
	}
}

// fault returns the result for a caller that gave up, or whose verification
// could not be carried out.
func (c *Cache) fault(m mailbox, err error) rcpt.Result {
	reason := rcpt.ReasonUnfinished
	if errors.Is(err, flight.ErrPanicked) {
		reason = rcpt.ReasonInternalError
	}
	return engine.Decide(engine.Evidence{
		Schema: engine.EvidenceSchema, Email: m.given, Local: m.parts.Local(), Domain: m.parts.Domain(),
		Mailbox: m.parts.Mailbox(),
		Fault:   err.Error(), FaultReason: reason, StartedAt: c.config.Now().UTC(),
	}, engine.Policy{})
}
