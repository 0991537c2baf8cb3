package verdictcache

import (
	"context"
	"sync"

	"github.com/rcpt/rcpt/engine"
)

// together is an [Engine] that verifies addresses of one domain together at
// less cost; *[engine.Verifier] is one.
type together interface {
	VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error))
}

// VerifyTogether is [Cache.VerifyWith] with Fresh for addresses of one domain,
// which costs less if the engine supports it. Their verifications are not
// shared with other callers. Done is called for each, perhaps from several
// goroutines at a time.
func (c *Cache) VerifyTogether(
	ctx context.Context, addresses []string, done func(i int, result engine.Result, err error),
) {
	asked, able := c.config.Engine.(together)
	if !able {
		var all sync.WaitGroup
		for i, address := range addresses {
			all.Go(func() {
				result, err := c.VerifyWith(ctx, address, engine.VerifyOptions{Fresh: true})
				done(i, result, err)
			})
		}
		all.Wait()
		return
	}
	generation, fingerprint := c.generation.Load(), c.config.Fingerprint()
	asked.VerifyTogether(ctx, addresses, func(i int, result engine.Result, err error) {
		m, ok := c.read(addresses[i])
		if ok && err == nil && result.Settled(ctx, c.config.Timeout) && c.config.Fingerprint() == fingerprint {
			c.keep(context.WithoutCancel(ctx), m, result, generation, fingerprint, true)
		}
		done(i, result, err)
	})
}
