package dnsresolve

import (
	"context"
	"net/netip"
	"slices"

	"github.com/miekg/dns"
)

// IPv4Findings is what the DNS says about the IPv4 addresses of a name: facts
// only, without a verdict.
type IPv4Findings struct {
	Lookup
	// Addrs are the addresses in ascending order, at most Config.MaxAddrs of
	// them.
	Addrs []netip.Addr `json:"addrs,omitempty"`
	// Omitted counts addresses beyond the limit.
	Omitted int `json:"omitted,omitempty"`
}

// IPv4 looks up the A records of name (lower-case A-labels). The error is
// non-nil only if ctx ended, as that of [Resolver.MailHosts].
func (r *Resolver) IPv4(ctx context.Context, name string) (IPv4Findings, error) {
	if !isDomain(name) {
		return IPv4Findings{Lookup: notDomain(name, dns.TypeA)}, nil
	}
	said, evidence := r.look(ctx, name, dns.TypeA)
	addrs := slices.SortedFunc(slices.Values(said.addrs), netip.Addr.Compare)
	kept := addrs[:min(len(addrs), r.maxAddrs)]
	found := IPv4Findings{Lookup: evidence, Addrs: kept, Omitted: len(addrs) - len(kept)}
	return found, gaveUp(ctx, "addresses of "+name)
}
