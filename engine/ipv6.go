package engine

import (
	"context"
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
)

// mayReach reports whether an IPv4 address of a mail host is worth trying before anybody asks for its IPv6 addresses. Mail hosts ask more of IPv6
// clients, and nearly all have an IPv4 address: a question to the DNS in three is saved.
func (v *Verifier) mayReach(addr dnsresolve.Addr) bool {
	only6 := len(v.config.SourceIPs) > 0 && !slices.ContainsFunc(v.config.SourceIPs, func(ip netip.Addr) bool { return ip.Unmap().Is4() })
	return !only6 && mayDial(v.own.Marked(addr), v.config.AllowNets)
}

// withIPv6 has the hosts of a route asked for their IPv6 addresses where that is yet to be done and no IPv4 address leads there, or they put us
// off. It comes before the next host: a backup knows less than the host itself.
func (v *Verifier) withIPv6(route []smtpprobe.Host, evidence *Evidence) []smtpprobe.Host {
	for i, to := range route {
		unasked := func(h dnsresolve.Host) bool { return h.Name == to.Name && h.IPv6Unasked }
		if slices.ContainsFunc(evidence.DNS.Hosts, unasked) {
			route[i].More = func(ctx context.Context) []netip.Addr { return v.moreOf(ctx, to.Name, evidence) }
		}
	}
	return route
}

// moreOf asks for the IPv6 addresses of a mail host, notes them in the evidence, and returns all that may be dialled.
func (v *Verifier) moreOf(ctx context.Context, host string, evidence *Evidence) []netip.Addr {
	found, err := v.resolver.AddIPv6(ctx, *evidence.DNS, host)
	if v.config.Hooks.LookedUp != nil {
		for _, l := range found.Lookups[len(evidence.DNS.Lookups):] {
			v.config.Hooks.LookedUp(l)
		}
	}
	if err != nil {
		return nil // the caller has given up, and is told so
	}
	v.own.Mark(found.Hosts)
	evidence.DNS = &found
	var addrs []netip.Addr
	for _, h := range mailRoute(found, v.config.AllowNets) {
		if h.Name == host {
			addrs = append(addrs, h.Addrs...)
		}
	}
	return addrs
}
