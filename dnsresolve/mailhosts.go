package dnsresolve

import (
	"context"
	"slices"
	"sync"

	"github.com/miekg/dns"
)

// gather asks for the mail exchangers of domain and their addresses (RFC 5321 §5.1).
func (r *Resolver) gather(ctx context.Context, domain string) Findings {
	found := Findings{Domain: plain(domain)}
	if !isDomain(domain) {
		found.Status = StatusMalformed
		found.Lookups = []Lookup{notDomain(domain, dns.TypeMX)}
		return found
	}
	mx, evidence := r.look(ctx, domain, dns.TypeMX)
	found.Lookups = []Lookup{evidence}
	switch {
	case mx.status == StatusOK:
		r.explicit(ctx, &found, mx.exchangers)
	case mx.status.Temporary():
		found.Status = mx.status
	default:
		r.implicit(ctx, &found, mx.status)
	}
	return found
}

// explicit fills in the mail exchangers that the domain names.
func (r *Resolver) explicit(ctx context.Context, found *Findings, named []exchanger) {
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
			found.Lookups = append(found.Lookups, h.lookups...)
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
func (r *Resolver) implicit(ctx context.Context, found *Findings, denied Status) {
	host := r.host(ctx, exchanger{host: found.Domain})
	found.Lookups = append(found.Lookups, host.lookups...)
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
	dead    bool // no public address is known, and asking again would not help
}

// hosts looks up exchangers at the same time, in their order.
func (r *Resolver) hosts(ctx context.Context, exchangers []exchanger) []hostFound {
	hosts := make([]hostFound, len(exchangers))
	var all sync.WaitGroup
	for i, e := range exchangers {
		all.Go(func() { hosts[i] = r.host(ctx, e) })
	}
	all.Wait()
	return hosts
}

// host looks up the IPv4 and the IPv6 addresses of e at the same time, unless its name cannot be that of a host.
func (r *Resolver) host(ctx context.Context, e exchanger) hostFound {
	if !isHostName(e.host) {
		return hostFound{Host: Host{Name: clean(e.host), Preference: e.preference, Status: StatusMalformed}, dead: true}
	}
	var v4, v6 answer
	lookups := make([]Lookup, 2)
	var both sync.WaitGroup
	both.Go(func() { v4, lookups[0] = r.look(ctx, e.host, dns.TypeA) })
	both.Go(func() { v6, lookups[1] = r.look(ctx, e.host, dns.TypeAAAA) })
	both.Wait()
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
