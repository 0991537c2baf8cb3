package dnsresolve

import (
	"context"
	"slices"

	"github.com/miekg/dns"
)

// anewKey is the context key of [Anew].
type anewKey struct{}

// Anew returns a context under which a [Resolver] sends its queries anew:
// neither the cache nor queries of other callers answer them. With several
// servers, each turn, counted from 0, begins with another one.
func Anew(ctx context.Context, turn int) context.Context {
	return context.WithValue(ctx, anewKey{}, turn)
}

// turnOf returns the turn of a context made by [Anew].
func turnOf(ctx context.Context) (turn int, anew bool) {
	turn, anew = ctx.Value(anewKey{}).(int)
	return turn, anew
}

// serversFor returns the servers in the order to ask them.
func (r *Resolver) serversFor(ctx context.Context) []string {
	servers := r.servers.inOrder()
	turn, _ := turnOf(ctx)
	first := turn % len(servers)
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
