package main

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
)

// portCheckTimeout bounds one connection of the check: a mail host that takes longer is as good as closed.
const portCheckTimeout = 4 * time.Second

// defaultSMTPPort is the port of the engine where the configuration names none.
const defaultSMTPPort = 25

// portCheckDomains are domains whose mail hosts are always there. One answer is enough, so mostly only the first is asked.
var portCheckDomains = [...]string{"gmail.com", "outlook.com", "yahoo.com"}

// warnOfClosedPort logs a warning when no mail host can be reached from here: many networks let nobody out to port 25, and then every
// verdict is "unknown" for a reason that has nothing to do with the addresses.
func warnOfClosedPort(ctx context.Context, config engine.Config) {
	resolver, err := dnsresolve.New(dnsresolve.Config{Servers: config.Resolvers, Exchanger: config.Exchanger})
	if err != nil {
		return // the engine reports the same
	}
	defer resolver.Close()
	known, reached := reachOut(ctx, resolver, config)
	switch port := slog.Int("port", int(smtpPort(config))); {
	case reached:
		config.Logger.Debug("mail hosts can be reached", port)
	case ctx.Err() != nil:
	case !known:
		config.Logger.Warn("The DNS names no mail hosts of well-known domains, so verdicts cannot be relied on here. "+
			"Check this machine's network and resolver, or name a DNS server with --resolver.", slog.Any("asked", portCheckDomains))
	case len(config.Proxies)+len(config.SourceIPs) > 0:
		config.Logger.Warn("No mail host can be reached, so every verdict will be unknown: look after the proxies and source addresses "+
			"that this was told to use.", port, slog.Any("tried", portCheckDomains))
	default:
		config.Logger.Warn("No mail host can be reached: this network seems to block outgoing SMTP connections, so every verdict will be unknown. "+
			"Ask your hoster to open outgoing TCP port 25, or run rcpt on a machine where it is open.", port, slog.Any("tried", portCheckDomains))
	}
}

// reachOut tells whether the DNS knows addresses of well-known mail hosts, and whether one of them takes a connection.
func reachOut(ctx context.Context, resolver *dnsresolve.Resolver, config engine.Config) (known, reached bool) {
	dialer, err := config.MailDialer()
	if err != nil {
		return false, false
	}
	if dialer == nil {
		dialer = &net.Dialer{}
	}
	for _, domain := range portCheckDomains {
		found, err := resolver.MailHosts(ctx, domain)
		if err != nil {
			return known, false
		}
		for _, ip := range firstOfEachFamily(found, config.AllowNets) {
			known = true
			if connects(ctx, dialer, netip.AddrPortFrom(ip, smtpPort(config))) {
				return known, true
			}
		}
	}
	return known, false
}

// firstOfEachFamily picks an IPv4 and an IPv6 address that may be dialled, as far as there are.
func firstOfEachFamily(found dnsresolve.Findings, allowed []netip.Prefix) []netip.Addr {
	var picked []netip.Addr
	for _, host := range found.Hosts {
		for _, addr := range host.Addrs {
			mayDial := addr.Reserved == "" || slices.ContainsFunc(allowed, func(network netip.Prefix) bool { return network.Contains(addr.IP) })
			sameFamily := func(other netip.Addr) bool { return other.Is4() == addr.IP.Is4() }
			if mayDial && !slices.ContainsFunc(picked, sameFamily) {
				picked = append(picked, addr.IP)
			}
		}
	}
	return picked
}

func connects(ctx context.Context, dialer smtpprobe.Dialer, target netip.AddrPort) bool {
	ctx, cancel := context.WithTimeout(ctx, portCheckTimeout)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", target.String())
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

func smtpPort(config engine.Config) uint16 {
	if config.SMTPPort == 0 {
		return defaultSMTPPort
	}
	return config.SMTPPort
}
