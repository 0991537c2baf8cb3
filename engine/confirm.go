package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/internal/netcheck"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// confirm has a DNS answer that denies a domain repeated as often as the rule
// of [netcheck.Resolver] requires. It returns the last answer and why it cannot
// be believed; empty: it can. The error is non-nil only if ctx was cancelled.
func (v *Verifier) confirm(
	ctx context.Context, found dnsresolve.Findings,
) (last dnsresolve.Findings, fault string, err error) {
	c := v.resolverCheck
	if c == nil || !v.blamed(found) || c.Settled(found.Domain) {
		return found, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, v.config.Timeout)
	defer cancel()
	for turn := 1; ; turn++ {
		if fault := c.Pass(ctx); fault != "" {
			return found, fault, abandoned(ctx, found.Domain)
		}
		if turn == netcheck.Hearings {
			c.Settle(found.Domain)
			return found, "", nil
		}
		if found, err = v.resolver.Anew(turn).MailHosts(ctx, found.Domain); err != nil {
			return found, "", err
		}
		v.own.mark(found.Hosts)
		if !v.blamed(found) {
			return found, "", nil
		}
	}
}

// blamed reports whether what the DNS says would be held against the domain.
func (v *Verifier) blamed(found dnsresolve.Findings) bool {
	return restsOnResolver(judgeDNS(found, v.config.AllowNets).reason)
}

// abandoned is the error of a caller that gave up.
func abandoned(ctx context.Context, domain string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("engine: mail hosts of %s: %w", domain, flight.Ended(ctx))
	}
	return nil
}
