package dnsresolve

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// gather asks for the mail exchangers of domain and their addresses (RFC 5321 §5.1).
func (r *Resolver) gather(ctx context.Context, domain string) Findings {
	if found, ok := r.Known(domain); ok {
		return found
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
	mx.shelf.keep(k)
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
	// The next ones are looked up when all before them are dead, so that "none can be reached" is never said of hosts not looked at.
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

// implicit fills in the domain itself as its mail exchanger if it has addresses. denied is how the question for MX ended: not even
// NXDOMAIN is believed alone, since there are servers that deny a name because they do not know the type.
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

// hosts looks up exchangers, at least one, at the same time and returns them in their order.
func (r *Resolver) hosts(ctx context.Context, exchangers []exchanger) []hostFound {
	hosts := make([]hostFound, len(exchangers))
	var others sync.WaitGroup
	for i, e := range exchangers[1:] {
		others.Go(func() { hosts[1+i] = r.host(ctx, e) })
	}
	hosts[0] = r.host(ctx, exchangers[0])
	others.Wait()
	return hosts
}

// host looks up the IPv4 and the IPv6 addresses of e at the same time, unless its name cannot be that of a host.
func (r *Resolver) host(ctx context.Context, e exchanger) hostFound {
	if !isHostName(e.host) {
		return hostFound{Host: Host{Name: clean(e.host), Preference: e.preference, Status: StatusMalformed}, dead: true}
	}
	var v4, v6 answer
	lookups := make([]Lookup, 2)
	var other sync.WaitGroup
	other.Go(func() { v6, lookups[1] = r.look(ctx, e.host, dns.TypeAAAA) })
	v4, lookups[0] = r.look(ctx, e.host, dns.TypeA)
	other.Wait()
	status := combine(v4.status, v6.status)
	addrs := marked(slices.Concat(v4.addrs, v6.addrs))
	kept := cut(addrs, r.maxAddrs)
	oneFailed := status == StatusOK && (v4.status.Temporary() || v6.status.Temporary())
	return hostFound{
		Host: Host{
			Name:       e.host,
			Preference: e.preference,
			Status:     status,
			Addrs:      kept,
			Incomplete: oneFailed,
			Omitted:    len(addrs) - len(kept),
		},
		lookups: lookups,
		expires: []time.Time{v4.expires, v6.expires},
		dead:    !status.Temporary() && !anyPublic(kept),
	}
}

// combine is what several look-ups say together: records if one has them, a failure if one failed, and NXDOMAIN only if all say so.
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
