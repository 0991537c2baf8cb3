package engine

import (
	"context"
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
)

// mayReach returns a function that reports whether an IPv4 address of a mail
// host is worth trying before its IPv6 addresses are asked for. Mail hosts
// require more of IPv6 clients, and nearly all have an IPv4 address, so this
// saves a third of the DNS queries. The resolver keeps the function: if it
// referred to the Verifier, that could not be dropped.
func mayReach(pool *smtpprobe.Pool, own *ownAddrs, allowed []netip.Prefix) func(dnsresolve.Addr) bool {
	return func(addr dnsresolve.Addr) bool { return pool.ReachesIPv4() && mayDial(own.marked(addr), allowed) }
}

// withIPv6 lets the hosts of a route be asked for their IPv6 addresses if that
// was not done yet and their IPv4 addresses do not reach them or defer us. That
// comes before the next host, because a backup knows less than the host itself.
func (v *Verifier) withIPv6(route []smtpprobe.Host, evidence *Evidence) []smtpprobe.Host {
	for i, to := range route {
		unasked := func(h dnsresolve.Host) bool { return h.Name == to.Name && h.IPv6Unasked }
		if slices.ContainsFunc(evidence.DNS.Hosts, unasked) {
			route[i].More = func(ctx context.Context) []netip.Addr { return v.moreOf(ctx, to.Name, evidence) }
		}
	}
	return route
}

// moreOf asks for the IPv6 addresses of a mail host, records them in the
// evidence, and returns those that may be dialled.
func (v *Verifier) moreOf(ctx context.Context, host string, evidence *Evidence) []netip.Addr {
	found, err := v.resolver.AddIPv6(ctx, *evidence.DNS, host)
	if v.config.Hooks.LookedUp != nil {
		for _, l := range found.Lookups[len(evidence.DNS.Lookups):] {
			v.config.Hooks.LookedUp(ctx, l)
		}
	}
	if err != nil {
		return nil // the caller gave up and gets that error
	}
	v.own.mark(found.Hosts)
	evidence.DNS = &found
	var addrs []netip.Addr
	for _, h := range mailRoute(found.Hosts, v.config.AllowNets) {
		if h.Name == host {
			addrs = append(addrs, h.Addrs...)
		}
	}
	return addrs
}
