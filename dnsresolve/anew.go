package dnsresolve

import (
	"context"
	"slices"

	"github.com/miekg/dns"
)

// Anew returns r as one that sends its queries anew: neither the cache nor
// queries of other callers answer them. With several servers, each turn,
// counted from 0, begins with another one. The two share everything else, and
// are closed together.
func (r *Resolver) Anew(turn int) *Resolver { return &Resolver{r.shared, true, turn} }

// inTurn returns the servers in the order to ask them.
func (r *Resolver) inTurn() []string {
	servers := r.servers.inOrder()
	first := r.turn % len(servers)
	return slices.Concat(servers[first:], servers[:first])
}

// Servers returns the servers that are asked, HOST:PORT, in the order of the
// configuration.
func (r *Resolver) Servers() []string { return slices.Clone(r.servers.all) }

// MX asks for the MX records of a name (lower-case A-labels) and nothing else.
// It returns how the look-up ended and the number of mail exchangers, which is
// zero for a null MX.
func (r *Resolver) MX(ctx context.Context, name string) (Lookup, int) {
	if !isDomain(name) {
		return notDomain(name, dns.TypeMX), 0
	}
	said, evidence := r.look(ctx, name, dns.TypeMX)
	return evidence, len(inOrder(said.exchangers, func(int, func(i, j int)) {}))
}
