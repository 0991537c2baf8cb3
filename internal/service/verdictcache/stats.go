package verdictcache

import "sync/atomic"

// source is where a result was remembered.
type source int

const (
	nowhere source = iota
	fromMemory
	fromStore
	sources
)

// counts are the counters of Stats.
type counts struct {
	recalled                [sources]atomic.Int64
	joined                  atomic.Int64
	asked, settled, givenUp atomic.Int64 // re-checks
}

// Stats counts what a Cache has done since it was made, and what it holds.
type Stats struct {
	Entries    int   // results in memory, including some that expired seconds ago
	FromMemory int64 // answers that were remembered in memory
	FromStore  int64 // and in the store
	Missed     int64 // look-ups without a remembered result
	Joined     int64 // answers shared with a caller that asked at the same time
	Unreadable int64 // look-ups in the store that failed

	RechecksAsked   int64 // re-checks
	RechecksSettled int64 // re-checks with a final reply
	RechecksGivenUp int64 // addresses that were greylisted until the last try
	// not scheduled because too many wait; those that the store dropped are in
	// its own [store.Stats]
	RechecksDropped int64
}

// Stats returns the figures of this process.
func (c *Cache) Stats() Stats {
	s := Stats{
		FromMemory: c.counts.recalled[fromMemory].Load(), FromStore: c.counts.recalled[fromStore].Load(),
		Missed: c.counts.recalled[nowhere].Load(), Joined: c.counts.joined.Load(),
		RechecksAsked: c.counts.asked.Load(), RechecksSettled: c.counts.settled.Load(),
		RechecksGivenUp: c.counts.givenUp.Load(),
	}
	if c.memory != nil {
		s.Entries = c.memory.entries()
	}
	if c.stored != nil {
		s.Unreadable = c.stored.failed.Load()
	}
	if a, ok := c.rechecks.(*memoryRechecks); ok {
		s.RechecksDropped = a.droppedSoFar()
	}
	return s
}
