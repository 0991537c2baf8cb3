package dnsresolve

import (
	"time"

	"github.com/rcpt/rcpt/internal/sys/lru"
)

const (
	entryCost  = 400 // octets of an answer with its key, texts and records apart (about)
	recordCost = 64  // octets of an exchanger, address or alias
	memoCost   = 400 // octets of findings, hosts apart
	hostCost   = 700 // octets of a host in findings, with its addresses and look-ups
)

// question is the key of the cache.
type question struct {
	name  string // fully qualified, lower-case
	qtype uint16
}

// cache keeps answers until they expire or there is no room. It may drop any
// entry at any time.
type cache struct{ store *lru.Cache[question, *answer] }

// newCache returns a cache of about that many octets; with a negative number,
// one that keeps nothing.
func newCache(octets int64) cache { return cache{lru.New[question, *answer](octets)} }

// get returns the answer to q, or nil.
func (c cache) get(q question) *answer {
	a, found := c.store.Get(q)
	if !found || !time.Now().Before(a.expires) {
		return nil
	}
	return a
}

func (c cache) put(q question, a *answer) { c.store.Put(q, a, a.cost()) }

// secondsLeft returns the number of seconds, rounded up, until the end, which
// may have passed.
func secondsLeft(end, now time.Time) uint32 {
	return uint32(max(0, (end.Sub(now)+time.Second-1)/time.Second))
}

func (a *answer) cost() int64 {
	cost := entryCost + recordCost*(len(a.exchangers)+len(a.addrs)+len(a.aliases)) + len(a.explain)
	for _, e := range a.exchangers {
		cost += len(e.host)
	}
	if a.memo != nil {
		cost += memoCost + hostCost*len(a.exchangers)
	}
	for _, alias := range a.aliases {
		cost += len(alias)
	}
	return int64(cost)
}
