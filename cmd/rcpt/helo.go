package main

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
)

// heloTimeout bounds the search for this host's name: no verdict depends on it.
const heloTimeout = time.Second

// helo is the name to greet mail hosts with: the one that was asked for, or this host's full name, or "", for which the engine uses an
// address literal.
func helo(ctx context.Context, config engine.Config) string {
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

// clientAddrs are the addresses one of which mail hosts see; none where they see several, or one that only a proxy knows.
func clientAddrs(config engine.Config) ([]net.Addr, error) {
	switch {
	case len(config.Proxies) > 0, len(config.SourceIPs) > 1:
		return nil, nil
	case len(config.SourceIPs) == 1:
		ip := config.SourceIPs[0].Unmap()
		return []net.Addr{&net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(ip.BitLen(), ip.BitLen())}}, nil
	}
	return net.InterfaceAddrs()
}

// nameOf looks up the name of the first public address among addrs. Private ones are not asked about: their names mean nothing outside.
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

// reverseLookup asks the first of servers, or the system's.
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

// withPort adds the port of DNS to a server that names none.
func withPort(server string) string {
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(server, "53")
}

func isFullName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	return strings.Contains(name, ".") && !strings.HasSuffix(name, ".localdomain") && new(heloName).UnmarshalText([]byte(name)) == nil
}
