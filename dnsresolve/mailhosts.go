package dnsresolve

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// gather asks for the mail exchangers of domain and their addresses (RFC 5321
// §5.1).
func (r *Resolver) gather(ctx context.Context, domain string) Findings {
	if !r.anew {
		if found, ok := r.Known(domain); ok {
			return found
		}
	}
	k := kept{found: Findings{Domain: plain(domain)}}
	if !isDomain(domain) {
		k.found.Status = StatusMalformed
		k.found.Lookups = []Lookup{notDomain(domain, dns.TypeMX)}
		return k.found
	}
	mx, evidence := r.look(ctx, domain, dns.TypeMX)
	k.add([]Lookup{evidence}, mx.expires)
	switch {
	case mx.status == StatusOK:
		r.explicit(ctx, &k, mx.exchangers)
	case mx.status.Temporary():
		k.found.Status = mx.status
	default:
		r.implicit(ctx, &k, mx.status)
	}
	mx.memo.keep(k)
	return k.found
}

// explicit fills in the mail exchangers that the domain names.
func (r *Resolver) explicit(ctx context.Context, k *kept, named []exchanger) {
	found := &k.found
	found.Status = StatusOK
	exchangers := inOrder(named, r.shuffle)
	if len(exchangers) == 0 {
		found.NullMX = true
		return
	}
	// The next ones are looked up if all before them are dead, so that "none
	// can be reached" is never said of hosts that were not looked up.
	most := min(len(exchangers), max(r.maxHosts, maxDeadHosts))
	for batch := range slices.Chunk(exchangers[:most], r.maxHosts) {
		alive := false
		for _, h := range r.hosts(ctx, batch) {
			found.Hosts = append(found.Hosts, h.Host)
			k.add(h.lookups, h.expires...)
			alive = alive || !h.dead
		}
		if alive {
			break
		}
	}
	found.Omitted = len(exchangers) - len(found.Hosts)
}

// implicit adds the domain itself as its mail exchanger if it has addresses.
// denied is the outcome for MX: not even NXDOMAIN is believed alone, because
// some servers deny a name if they do not know the type.
func (r *Resolver) implicit(ctx context.Context, k *kept, denied Status) {
	found := &k.found
	host := r.host(ctx, exchanger{host: found.Domain})
	k.add(host.lookups, host.expires...)
	found.Status = host.Status
	if host.Status == StatusOK {
		found.Implicit = true
		found.Hosts = []Host{host.Host}
		return
	}
	if !host.Status.Temporary() {
		found.Status = combine(denied, host.Status)
	}
}

// hostFound is a Host with its evidence.
type hostFound struct {
	Host
	lookups []Lookup
	expires []time.Time // of the answers
	dead    bool        // no public address is known, and asking again would not help
}

// hosts looks up exchangers, at least one, concurrently and returns them in
// order.
func (r *Resolver) hosts(ctx context.Context, exchangers []exchanger) []hostFound {
	hosts := make([]hostFound, len(exchangers))
	var others sync.WaitGroup
	for i, e := range exchangers[1:] {
		others.Go(func() { hosts[1+i] = r.named(ctx, e) })
	}
	hosts[0] = r.named(ctx, exchangers[0])
	others.Wait()
	return hosts
}

// named is the host that an MX record names: by its address, as some do, or by
// its name.
func (r *Resolver) named(ctx context.Context, e exchanger) hostFound {
	ip := addressIn(e.host)
	if !ip.IsValid() {
		return r.host(ctx, e)
	}
	addrs := marked([]netip.Addr{ip})
	found := Host{Name: e.host, Preference: e.preference, Status: StatusOK, Addrs: addrs}
	return hostFound{Host: found, dead: !anyPublic(addrs)}
}

// host looks up the addresses of e: IPv4 and IPv6 concurrently, or IPv6 only if
// IPv4 does not suffice. A name that no host should have is looked up like any
// other: there may be one, and if there is none, the DNS says so.
func (r *Resolver) host(ctx context.Context, e exchanger) hostFound {
	if !isDomain(e.host) {
		return hostFound{Host: Host{Name: clean(e.host), Preference: e.preference, Status: StatusMalformed}, dead: true}
	}
	if r.suffices != nil {
		return r.hostByIPv4(ctx, e)
	}
	answers, lookups := make([]*answer, 2), make([]Lookup, 2)
	ask := func(i int, qtype uint16) { answers[i], lookups[i] = r.look(ctx, e.host, qtype) }
	var other sync.WaitGroup
	other.Go(func() { ask(1, dns.TypeAAAA) })
	ask(0, dns.TypeA)
	other.Wait()
	return r.hostOf(e, answers, lookups)
}

// hostByIPv4 asks for the IPv6 addresses only if the IPv4 addresses do not
// suffice, or beside them if these take long.
func (r *Resolver) hostByIPv4(ctx context.Context, e exchanger) hostFound {
	ctx6, cancel := context.WithCancel(ctx)
	defer cancel()
	answers, lookups := make([]*answer, 2), make([]Lookup, 2)
	asked := make(chan struct{})
	askIPv6 := func() {
		defer close(asked)
		answers[1], lookups[1] = r.look(ctx6, e.host, dns.TypeAAAA)
	}
	beside := time.AfterFunc(r.headStart(), askIPv6)
	answers[0], lookups[0] = r.look(ctx, e.host, dns.TypeA)
	begun := !beside.Stop()
	h := r.hostOf(e, answers[:1], lookups[:1])
	h.IPv6Unasked = slices.ContainsFunc(h.Addrs, r.suffices)
	switch {
	case h.IPv6Unasked && !begun:
		return h
	case h.IPv6Unasked:
		cancel() // an answer that has come is taken along, and is not waited for
	case !begun:
		askIPv6()
	}
	<-asked
	if h.IPv6Unasked && answers[1].status.Temporary() {
		return h
	}
	return r.hostOf(e, answers, lookups)
}

// hostOf is e with the addresses of the answers about it.
func (r *Resolver) hostOf(e exchanger, answers []*answer, lookups []Lookup) hostFound {
	h := hostFound{Host: Host{Name: e.host, Preference: e.preference}, lookups: lookups}
	var addrs []Addr
	var statuses []Status
	for _, a := range answers {
		statuses = append(statuses, a.status)
		addrs = append(addrs, marked(a.addrs)...)
		h.expires = append(h.expires, a.expires)
	}
	h.Status, h.Addrs = combine(statuses...), cut(addrs, r.maxAddrs)
	h.Incomplete = h.Status == StatusOK && slices.ContainsFunc(statuses, Status.Temporary)
	h.Omitted = len(addrs) - len(h.Addrs)
	h.dead = !h.Status.Temporary() && !anyPublic(h.Addrs)
	return h
}

// AddIPv6 returns the findings with the IPv6 addresses of a host that was not
// asked for them. It is for callers that have found that the IPv4 addresses do
// not do. The error is non-nil only if ctx ended.
func (r *Resolver) AddIPv6(ctx context.Context, found Findings, host string) (Findings, error) {
	unasked := func(h Host) bool { return h.Name == host && h.IPv6Unasked }
	if !slices.ContainsFunc(found.Hosts, unasked) {
		return found, nil
	}
	said, evidence := r.look(ctx, host, dns.TypeAAAA)
	found = found.clone()
	found.Lookups = append(found.Lookups, evidence)
	for i := range found.Hosts {
		h := &found.Hosts[i]
		if !unasked(*h) {
			continue
		}
		all := slices.Concat(h.Addrs, marked(said.addrs))
		h.Addrs = cut(all, r.maxAddrs)
		h.Omitted += len(all) - len(h.Addrs)
		h.IPv6Unasked, h.Incomplete = false, said.status.Temporary()
	}
	return found, gaveUp(ctx, "mail hosts of "+found.Domain)
}

// combine returns what several look-ups say together: records if one has them,
// a failure if one failed, and NXDOMAIN only if all say so.
func combine(statuses ...Status) Status {
	if slices.Contains(statuses, StatusOK) {
		return StatusOK
	}
	if i := slices.IndexFunc(statuses, Status.Temporary); i >= 0 {
		return statuses[i]
	}
	if slices.Contains(statuses, StatusNoData) {
		return StatusNoData
	}
	return StatusNXDomain
}
