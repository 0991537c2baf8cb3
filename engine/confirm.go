package engine

import (
	"context"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/internal/netcheck"
)

// confirm has a DNS answer that denies a domain repeated as often as the rule
// of [netcheck.Resolver] requires. It returns the last answer and why it cannot
// be believed; empty: it can.
func (v *Verifier) confirm(ctx context.Context, found dnsresolve.Findings) (last dnsresolve.Findings, fault string) {
	c := v.resolverCheck
	if c == nil || !v.blamed(found) || c.Settled(found.Domain) {
		return found, ""
	}
	for turn := 1; ; turn++ {
		if fault := c.Pass(ctx); fault != "" {
			return found, fault
		}
		if turn == netcheck.Hearings {
			c.Settle(found.Domain)
			return found, ""
		}
		found, _ = v.resolver.Anew(turn).MailHosts(ctx, found.Domain) // an end of ctx is temporary
		v.own.mark(found.Hosts)
		if !v.blamed(found) {
			return found, ""
		}
	}
}

// blamed reports whether what the DNS says would be held against the domain.
func (v *Verifier) blamed(found dnsresolve.Findings) bool {
	return restsOnResolver(judgeDNS(found, v.config.AllowNets).reason)
}
