package dnsresolve

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// kept is the findings about a domain and when the first of their answers
// expires.
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

// memo holds the findings that an answer to an MX query has led to, so that a
// repeated look-up asks the cache once instead of once for each record. It is
// stored in the cache with the answer. Its contents are never changed.
type memo struct{ atomic.Pointer[kept] }

// keep stores a copy of k, unless asking again could find more.
func (m *memo) keep(k kept) {
	failed := func(l Lookup) bool { return l.Status.Temporary() }
	if m == nil || k.found.Status != StatusOK || k.found.Omitted > 0 || slices.ContainsFunc(k.found.Lookups, failed) {
		return
	}
	k.found, k.until = k.found.clone(), slices.MinFunc(k.expires, time.Time.Compare)
	m.Store(&k)
}

// Known returns what [Resolver.MailHosts] would find without a query, and
// whether that is possible. It is for domains whose findings were complete,
// until the first of the answers expires.
func (r *Resolver) Known(domain string) (Findings, bool) {
	mx := r.recall(question{dns.CanonicalName(domain), dns.TypeMX})
	if mx == nil {
		return Findings{}, false
	}
	k, now := mx.memo.Load(), time.Now()
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
