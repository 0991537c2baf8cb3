package verdictcache

import (
	"context"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// VerifyGroup is [Cache.VerifyWith] for addresses of one domain, at less
// cost. Their verifications are not shared with other callers. Done is called
// for each, perhaps from several goroutines at a time.
func (c *Cache) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	if o.Level != "" || o.Clean {
		for i := range addresses {
			done(i, rcpt.Result{}, errOptions)
		}
		return
	}
	var rest []string
	var indexes []int
	for i, address := range addresses {
		if !o.Fresh {
			if result, ok := c.Recall(ctx, address); ok {
				done(i, result, nil)
				continue
			}
		}
		rest, indexes = append(rest, address), append(indexes, i)
	}
	if len(rest) == 0 {
		return
	}
	generation, fingerprint := c.generation.Load(), c.config.Fingerprint()
	c.config.Engine.VerifyGroup(ctx, rest, o, func(n int, result rcpt.Result, err error) {
		m, ok := c.read(rest[n])
		if ok && err == nil && c.settled(result, o.Timeout) && c.config.Fingerprint() == fingerprint {
			c.keep(context.WithoutCancel(ctx), m, result, generation, fingerprint, true)
		}
		done(indexes[n], result, err)
	})
}
