package engine

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe"
)

// mayReach reports whether an IPv4 address of a mail host is worth trying before anybody asks for its IPv6 addresses. Mail hosts ask more of IPv6
// clients, and nearly all have an IPv4 address: a question to the DNS in three is saved.
func (v *Verifier) mayReach(addr dnsresolve.Addr) bool {
	only6 := len(v.config.SourceIPs) > 0 && !slices.ContainsFunc(v.config.SourceIPs, func(ip netip.Addr) bool { return ip.Unmap().Is4() })
	return !only6 && mayDial(v.own.marked(addr), v.config.AllowNets)
}

// unreached reports whether mail hosts were tried, and none has said a word.
func unreached(said smtpprobe.Findings) bool {
	other := func(s smtpprobe.Session) bool {
		return s.Greeting != nil || s.Failure == nil || s.Failure.Kind == smtpprobe.KindPaused
	}
	return len(said.Sessions) > 0 && !slices.ContainsFunc(said.Sessions, other)
}

// maxIPv6 is how many IPv6 addresses are tried where no IPv4 address leads anywhere.
const maxIPv6 = 2

// askOverIPv6 goes on with the IPv6 addresses of mail hosts whose IPv4 addresses lead nowhere.
func (v *Verifier) askOverIPv6(ctx context.Context, mailbox address.Address, evidence *Evidence, started time.Time) error {
	unasked := func(h dnsresolve.Host) bool { return h.IPv6Unasked }
	left := func() time.Duration { return v.config.Timeout - time.Since(started) }
	if !slices.ContainsFunc(evidence.DNS.Hosts, unasked) || left() <= 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, left())
	defer cancel()
	found, err := v.resolver.AddIPv6(limited, *evidence.DNS)
	if err != nil {
		return err
	}
	v.own.mark(found.Hosts)
	tried := mailRoute(*evidence.DNS, v.config.AllowNets)
	evidence.DNS = &found
	route := without(mailRoute(found, v.config.AllowNets), tried)
	if len(route) == 0 || left() <= 0 {
		return nil
	}
	said, err := v.probe(ctx, mailbox, route, left())
	evidence.SMTP.Sessions = append(evidence.SMTP.Sessions, said.Sessions...)
	return err
}

// without is the route without the addresses of another, as far as it is to be followed.
func without(route, other []smtpprobe.Host) []smtpprobe.Host {
	has := func(ip netip.Addr) bool {
		return slices.ContainsFunc(other, func(h smtpprobe.Host) bool { return slices.Contains(h.Addrs, ip) })
	}
	room := maxIPv6
	for i := range route {
		more := slices.DeleteFunc(route[i].Addrs, has)
		route[i].Addrs = more[:min(len(more), room)]
		room -= len(route[i].Addrs)
	}
	return slices.DeleteFunc(route, func(h smtpprobe.Host) bool { return len(h.Addrs) == 0 })
}
