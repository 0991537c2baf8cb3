package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// slowAnswer is how long a good resolver needs at most for a well-known domain.
const slowAnswer = 500 * time.Millisecond

// resolvers checks each DNS server, and whether block lists answer through
// them.
func (x *examination) resolvers(ctx context.Context) []Check {
	var all []Check
	answering := 0
	for _, checks := range each(x.servers, func(server string) []Check { return x.resolver(ctx, server) }) {
		all = append(all, checks...)
		if checks[0].State != StateFault {
			answering++
		}
	}
	for i := range all {
		if all[i].Name == NameResolver && all[i].State == StateFault && answering > 0 {
			all[i].State = StateWarning // another server answers
		}
	}
	return all
}

// resolver checks one server: that it answers, also over TCP, and how it
// shortens what does not fit.
func (x *examination) resolver(ctx context.Context, server string) []Check {
	c := Check{Name: NameResolver, Subject: server, State: StateOK}
	m, took, err := exchange(ctx, "udp", server, x.domains[0], dns.TypeMX, true)
	switch {
	case err != nil:
		c.State, c.Found = StateFault, "it does not answer: "+plain(err)
	case m.Rcode == dns.RcodeRefused:
		c.State, c.Found = StateFault, "it refuses to answer us (REFUSED)"
	case took > slowAnswer:
		c.State, c.Found = StateWarning, fmt.Sprintf("it took %d ms to answer", took.Milliseconds())
		c.Why, c.Do = "Each new domain waits for it.", "Run a resolver of your own near this machine, such as unbound."
	default:
		c.Found = fmt.Sprintf("it answers in %d ms", took.Milliseconds())
	}
	if c.State == StateFault {
		c.Why, c.Do = "Without the DNS no domain can be checked.", ResolverAdvice+"."
		return []Check{c}
	}
	return []Check{c, x.overTCP(ctx, server), x.truncation(ctx, server)}
}

func (x *examination) overTCP(ctx context.Context, server string) Check {
	c := Check{Name: NameResolverTCP, Subject: server, State: StateOK, Found: "it answers over TCP"}
	if _, _, err := exchange(ctx, "tcp", server, x.domains[0], dns.TypeMX, true); err != nil {
		c.State, c.Found = StateFault, "it does not answer over TCP: "+plain(err)
		c.Why = "Long answers come over TCP only (RFC 7766), so domains with many mail hosts stay unknown."
		c.Do = "Open TCP port 53 to the server, or name another with --resolver."
	}
	return c
}

// truncation compares a long answer over UDP, without EDNS0, with the one over
// TCP. What does not fit must be marked as truncated.
func (x *examination) truncation(ctx context.Context, server string) Check {
	c := Check{Name: NameTruncation, Subject: server, State: StateOK}
	c.Found = "long answers are whole, or marked as truncated"
	for _, domain := range x.domains {
		short, _, err := exchange(ctx, "udp", server, domain, dns.TypeTXT, false)
		if err != nil || short.Truncated || len(short.Answer) == 0 {
			continue
		}
		long, _, err := exchange(ctx, "tcp", server, domain, dns.TypeTXT, false)
		if err == nil && len(long.Answer) > len(short.Answer) {
			c.State = StateFault
			c.Found = fmt.Sprintf("it drops records without saying so: %s has %d TXT records over TCP, and %d over UDP",
				domain, len(long.Answer), len(short.Answer))
			c.Why = "Mail hosts may be missing from its answers."
			c.Do = "Name another DNS server with --resolver; a home router or a firewall may be in between."
			return c
		}
	}
	return c
}

// plain is an error of the network without addresses of ours.
func plain(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
