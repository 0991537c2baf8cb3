package dnsresolve

import "sync/atomic"

// Stats are counters of a [Resolver] since it was made.
type Stats struct {
	Lookups int64 // questions, those answered from the cache included
	Cached  int64 // of them: answered from the cache
}

type counters struct{ lookups, cached atomic.Int64 }

// Stats counts.
func (r *Resolver) Stats() Stats {
	return Stats{Lookups: r.counters.lookups.Load(), Cached: r.counters.cached.Load()}
}

func (c *counters) count(questions int64, cached bool) {
	c.lookups.Add(questions)
	if cached {
		c.cached.Add(questions)
	}
}
