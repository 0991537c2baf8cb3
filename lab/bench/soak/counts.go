package soak

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Harm is what clients must not do.
type Harm string

const (
	noQUIT  Harm = "a session without QUIT"
	data    Harm = "a DATA"
	contact Harm = "a contact to a reserved address"
)

// Counters is what clients did since the world began.
type Counters struct {
	Connections, Open, PeakOpen int64
	Queries                     int64
	Harm                        map[string]int64 // by what it is, and with which kind
}

// counts are the counters of a world at work.
type counts struct {
	connections, open, peak atomic.Int64

	mu   sync.Mutex
	harm map[string]int64
}

func newCounts() *counts { return &counts{harm: make(map[string]int64)} }

func (c *counts) add(h Harm, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.harm[string(h)+" ("+kind+")"]++
}

func (c *counts) enter() {
	c.connections.Add(1)
	n := c.open.Add(1)
	for peak := c.peak.Load(); n > peak && !c.peak.CompareAndSwap(peak, n); peak = c.peak.Load() {
	}
}

func (c *counts) leave() { c.open.Add(-1) }

// read returns the counters as they are. The peak begins anew.
func (c *counts) read() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counters{
		Connections: c.connections.Load(), Open: c.open.Load(),
		PeakOpen: c.peak.Swap(c.open.Load()),
		Harm:     maps.Clone(c.harm),
	}
}
