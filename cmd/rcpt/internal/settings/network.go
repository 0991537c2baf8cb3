package settings

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
)

// NetworkCheck says whether our own network is checked. YAML reads on and off
// as booleans.
type NetworkCheck engine.NetworkCheck

var _ encoding.TextUnmarshaler = (*NetworkCheck)(nil)

func (n *NetworkCheck) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "auto", "":
		*n = NetworkCheck(engine.NetworkCheckAuto)
	case "on", "true":
		*n = NetworkCheck(engine.NetworkCheckOn)
	case "off", "false":
		*n = NetworkCheck(engine.NetworkCheckOff)
	default:
		return fmt.Errorf("%q: use auto, on or off", text)
	}
	return nil
}

// leastCheckDomains is the number of domains that [engine.Config] needs.
const leastCheckDomains = 3

// checkDomain is a domain for the network check.
type checkDomain string

func (d *checkDomain) UnmarshalText(text []byte) error {
	domain, err := address.Domain(string(text))
	if err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	*d = checkDomain(domain)
	return nil
}

// heloTimeout bounds the lookup of this host's name. No verdict depends on it.
const heloTimeout = time.Second

// HELO returns the name for EHLO: the configured one, or this host's full name,
// or "", for which the engine uses an address literal.
func HELO(ctx context.Context, config engine.Config) string {
	if config.HELO != "" || config.Level != engine.LevelSMTP {
		return config.HELO
	}
	if name, err := os.Hostname(); err == nil && isFullName(name) {
		return name
	}
	addrs, err := clientAddrs(config)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, heloTimeout)
	defer cancel()
	return nameOf(ctx, addrs, reverseLookup(config.Resolvers))
}

// WarnOfHELO logs that mail hosts will hear a name that means nothing to them.
func WarnOfHELO(config engine.Config, logger *slog.Logger) {
	if config.Level == engine.LevelSMTP && config.HELO == "" && len(config.Egresses) == 0 {
		logger.Warn("no name for EHLO is known, and mail hosts refuse clients without one: " +
			"set --helo to the reverse DNS name of the address that they see")
	}
}

// clientAddrs returns the addresses of this host that mail hosts may see: none
// where there are several egresses or a proxy.
func clientAddrs(config engine.Config) ([]net.Addr, error) {
	switch {
	case len(config.Proxies)+len(config.Egresses) > 0, len(config.SourceIPs) > 1:
		return nil, nil
	case len(config.SourceIPs) == 1:
		ip := config.SourceIPs[0].Unmap()
		return []net.Addr{&net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(ip.BitLen(), ip.BitLen())}}, nil
	}
	return net.InterfaceAddrs()
}

// nameOf looks up the name of the first public address among addrs. Names of
// private addresses mean nothing outside.
func nameOf(ctx context.Context, addrs []net.Addr, lookup func(context.Context, string) ([]string, error)) string {
	for _, addr := range addrs {
		prefix, err := netip.ParsePrefix(addr.String())
		if err != nil || dnsresolve.Reserved(prefix.Addr()) != "" {
			continue
		}
		names, err := lookup(ctx, prefix.Addr().String())
		if err == nil && len(names) > 0 && isFullName(names[0]) {
			return strings.TrimSuffix(names[0], ".")
		}
	}
	return ""
}

// reverseLookup looks names up at the first of servers, or with the system's
// resolver.
func reverseLookup(servers []string) func(context.Context, string) ([]string, error) {
	resolver := &net.Resolver{PreferGo: true}
	if len(servers) > 0 {
		server := withPort(servers[0])
		resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server)
		}
	}
	return resolver.LookupAddr
}

// withPort adds the port of DNS to a server without a port.
func withPort(server string) string {
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(server, "53")
}

func isFullName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	return strings.Contains(name, ".") && !strings.HasSuffix(name, ".localdomain") &&
		new(heloName).UnmarshalText([]byte(name)) == nil
}

// resolverTimeout bounds the lookup of a DNS server's own name.
const resolverTimeout = 3 * time.Second

// checkResolvers fails for a DNS server whose name does not exist: every result
// would be unknown, and blame the DNS of the domain. If the lookup fails for
// now, as at boot, the server may still come up.
func checkResolvers(servers []string, lookUp func(context.Context, string) ([]string, error)) error {
	for _, server := range servers {
		host, _, err := net.SplitHostPort(withPort(server))
		if err != nil {
			continue
		}
		if _, err := netip.ParseAddr(host); err == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), resolverTimeout)
		_, err = lookUp(ctx, host)
		cancel()
		if failed := new(net.DNSError); errors.As(err, &failed) && failed.IsNotFound {
			const format = "--resolver %s: there is no host %s: write the address of a DNS server, such as 192.0.2.53"
			return fmt.Errorf(format, server, host)
		}
	}
	return nil
}
