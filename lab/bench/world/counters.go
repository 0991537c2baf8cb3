package world

import (
	"maps"
	"sync/atomic"
)

// Counters is what clients did since the counters were last taken.
type Counters struct {
	Connections   int64            // accepted
	TurnedAway    int64            // of those, with 421 because the client had too many sessions open
	Waits         int64            // groups of replies, the greeting among them, after which a host waited
	NoQUIT        int64            // sessions that the client ended without QUIT
	PeakPerHost   int64            // the most sessions open to one host at a time
	PeakInAll     int64            // the most sessions open at a time
	Blocks        int64            // how often an operator blocked a client
	PeakPerClient int64            // the most sessions that one client address had open at an operator
	Open          int64            // sessions still open when the counters were taken
	Commands      map[string]int64 // by verb
	DNS           map[string]int64 // queries by type
}

// RoundTrips is how often clients of SMTP waited for the network: for each
// connection and each group of replies.
func (c Counters) RoundTrips() int64 { return c.Connections + c.Waits }

// Queries is the number of DNS queries.
func (c Counters) Queries() int64 {
	sum := int64(0)
	for n := range maps.Values(c.DNS) {
		sum += n
	}
	return sum
}

// tally counts by name, for a closed set of names and a common one for all
// others. It takes no lock.
type tally map[string]*atomic.Int64

// otherName is the name under which a tally counts what it has no name for.
const otherName = "other"

func newTally(names ...string) tally {
	t := tally{otherName: new(atomic.Int64)}
	for _, name := range names {
		t[name] = new(atomic.Int64)
	}
	return t
}

func (t tally) add(name string) {
	counter := t[name]
	if counter == nil {
		counter = t[otherName]
	}
	counter.Add(1)
}

// take returns the counts that are not zero, and begins anew.
func (t tally) take() map[string]int64 {
	counts := make(map[string]int64)
	for name, counter := range t {
		if n := counter.Swap(0); n > 0 {
			counts[name] = n
		}
	}
	return counts
}

// gauge is how many of something there are, and how many there were at most.
type gauge struct{ now, peak atomic.Int64 }

// enter counts one in and returns how many there are with it.
func (g *gauge) enter() int64 {
	n := g.now.Add(1)
	for {
		peak := g.peak.Load()
		if n <= peak || g.peak.CompareAndSwap(peak, n) {
			return n
		}
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// takePeak returns the peak, and begins anew from what there is.
func (g *gauge) takePeak() int64 { return g.peak.Swap(g.now.Load()) }

// counts are the counters of all hosts together.
type counts struct {
	connections, turnedAway, waits, noQUIT atomic.Int64

	sessions gauge
	commands tally
}

func newCounts() *counts {
	return &counts{commands: newTally(
		"EHLO", "HELO", "MAIL", "RCPT", "RSET", "NOOP", "DATA", "BDAT", "QUIT", "STARTTLS", "VRFY", "AUTH",
	)}
}
