package verdictcache

import (
	"context"

	"github.com/rcpt/rcpt/engine"
)

// VerifyTogether is [Cache.VerifyWith] for addresses of one domain, at less
// cost. Their verifications are not shared with other callers. Done is called
// for each, perhaps from several goroutines at a time.
func (c *Cache) VerifyTogether(
	ctx context.Context, addresses []string, o engine.VerifyOptions, done func(i int, result engine.Result, err error),
) {
	var rest []string
	var indexes []int
	for i, address := range addresses {
		if err := refuse(o); err != nil {
			done(i, engine.Result{}, err)
			continue
		}
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
	c.config.Engine.VerifyTogether(ctx, rest, o.Part(indexes), func(n int, result engine.Result, err error) {
		m, ok := c.read(rest[n])
		if ok && err == nil && result.Settled(ctx, c.config.Timeout) && c.config.Fingerprint() == fingerprint {
			c.keep(context.WithoutCancel(ctx), m, result, generation, fingerprint, true)
		}
		done(indexes[n], result, err)
	})
}
