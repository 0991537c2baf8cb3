package dnsresolve

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// kept is the findings about a domain, and when the answers that they rest on end.
type kept struct {
	found   Findings
	expires []time.Time // by look-up
	until   time.Time   // the first of them; set when it is kept
}

// add notes look-ups and the ends of their answers.
func (k *kept) add(lookups []Lookup, expires ...time.Time) {
	k.found.Lookups = append(k.found.Lookups, lookups...)
	k.expires = append(k.expires, expires...)
}

// shelf holds what an answer to a question for MX has led to, so that a repeat asks the cache once instead of once for each question. It
// stands in the cache with the answer. What is put on it is never changed.
type shelf struct{ atomic.Pointer[kept] }

// keep puts a copy of k on the shelf, unless more could be found by asking again.
func (s *shelf) keep(k kept) {
	failed := func(l Lookup) bool { return l.Status.Temporary() }
	if s == nil || k.found.Status != StatusOK || k.found.Omitted > 0 || slices.ContainsFunc(k.found.Lookups, failed) {
		return
	}
	k.found, k.until = k.found.clone(), slices.MinFunc(k.expires, time.Time.Compare)
	s.Store(&k)
}

// Known returns what [Resolver.MailHosts] would find if it need not ask anybody, and whether that is so. It does so for domains that have
// been found in full, until the first of the answers has to be asked for again.
func (r *Resolver) Known(domain string) (Findings, bool) {
	mx := r.recall(question{dns.CanonicalName(domain), dns.TypeMX})
	if mx == nil {
		return Findings{}, false
	}
	k, now := mx.shelf.Load(), time.Now()
	if k == nil || !now.Before(k.until) {
		return Findings{}, false
	}
	found := k.found.clone()
	for i := range found.Lookups {
		found.Lookups[i].TTL = secondsLeft(k.expires[i], now)
		found.Lookups[i].Cached = true
	}
	r.counters.count(int64(len(found.Lookups)), true)
	shuffleEqual(found.Hosts, func(h Host) uint16 { return h.Preference }, r.shuffle)
	return found, true
}

// clone is f with slices of its own.
func (f Findings) clone() Findings {
	f.Hosts, f.Lookups = slices.Clone(f.Hosts), slices.Clone(f.Lookups)
	for i := range f.Hosts {
		f.Hosts[i].Addrs = slices.Clone(f.Hosts[i].Addrs)
	}
	for i := range f.Lookups {
		f.Lookups[i].CNAMEs = slices.Clone(f.Lookups[i].CNAMEs)
	}
	return f
}
