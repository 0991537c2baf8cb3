package netcheck

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/dnsresolve"
)

// What a Resolver asks a [dnsresolve.Resolver] that sends its queries anew.
// Each question returns what is wrong with the answers; empty: nothing.

// round asks for each domain, and returns what is wrong with the answers.
func (c *Resolver) round(resolver *dnsresolve.Resolver) (fault string) {
	ctx, cancel := context.WithTimeout(c.Base, roundTimeout)
	defer cancel()
	lookups, hosts := make([]dnsresolve.Lookup, len(c.Domains)), make([]int, len(c.Domains))
	var all sync.WaitGroup
	for i, domain := range c.Domains {
		all.Go(func() { lookups[i], hosts[i] = resolver.MX(ctx, domain) })
	}
	all.Wait()
	found := 0
	for i, l := range lookups {
		switch {
		case l.Status.Temporary():
		case hosts[i] == 0:
			return fmt.Sprintf("the DNS server %s says that %s has no mail hosts", l.Server, l.Name)
		default:
			found++
		}
	}
	if 2*found > len(lookups) {
		return ""
	}
	return c.silence(lookups)
}

// silence returns why domains were not found although they were not denied.
func (c *Resolver) silence(lookups []dnsresolve.Lookup) string {
	for _, l := range lookups {
		if l.Status.Temporary() && l.Server != "" {
			return fmt.Sprintf("the DNS server %s cannot find the mail hosts of %s (%s)", l.Server, l.Name, l.Error)
		}
	}
	return "no DNS server answers at " + strings.Join(c.Resolver.Servers(), ", ")
}

// misleading returns what is wrong with the addresses of well-known mail hosts,
// such as those that captive portals return.
func (c *Resolver) misleading(resolver *dnsresolve.Resolver) (fault string) {
	ctx, cancel := context.WithTimeout(c.Base, roundTimeout)
	defer cancel()
	answers := make([]dnsresolve.Findings, len(c.Domains))
	var all sync.WaitGroup
	for i, domain := range c.Domains {
		all.Go(func() { answers[i], _ = resolver.MailHosts(ctx, domain) })
	}
	all.Wait()
	for _, found := range answers {
		if c.Blamed(found) {
			const text = "the DNS server %s says that no mail host of %s has an address on the public internet"
			return fmt.Sprintf(text, found.Lookups[0].Server, found.Domain)
		}
	}
	return ""
}

// inventing says what the resolver knows of a name that cannot exist.
func (c *Resolver) inventing(resolver *dnsresolve.Resolver) (fault string) {
	ctx, cancel := context.WithTimeout(c.Base, roundTimeout)
	defer cancel()
	name := strings.ToLower(rand.Text()) + ".com"
	mx, _ := resolver.MX(ctx, name)
	a, _ := resolver.IPv4(ctx, name) // that ctx ended says the status, too
	for _, l := range []dnsresolve.Lookup{mx, a.Lookup} {
		if l.Status == dnsresolve.StatusOK {
			return fmt.Sprintf("the DNS server %s invents answers: it knows %s, a random name", l.Server, name)
		}
	}
	return ""
}
