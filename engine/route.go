package engine

import (
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
)

// mailRoute keeps the hosts and addresses that may be dialled: public ones, and
// those in allowed networks.
func mailRoute(hosts []dnsresolve.Host, allowed []netip.Prefix) []smtpprobe.Host {
	route := make([]smtpprobe.Host, 0, len(hosts))
	for _, host := range hosts {
		dial := make([]netip.Addr, 0, len(host.Addrs))
		for _, addr := range host.Addrs {
			if mayDial(addr, allowed) {
				dial = append(dial, addr.IP)
			}
		}
		if len(dial) > 0 {
			route = append(route, smtpprobe.Host{Name: host.Name, Addrs: dial})
		}
	}
	return route
}

// mayDial reports whether an address may be dialled. Dialling an IPv4-mapped
// address, or one of NAT64, reaches the IPv4 address in it. So both must be
// allowed, and ::/0 alone allows none of them.
func mayDial(addr dnsresolve.Addr, allowed []netip.Prefix) bool {
	if addr.Reserved == "" {
		return true
	}
	reached := append(dnsresolve.NAT64(addr.IP), addr.IP, addr.IP.Unmap())
	return !slices.ContainsFunc(reached, func(ip netip.Addr) bool { return !contains(allowed, ip) })
}

func contains(networks []netip.Prefix, ip netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(ip) {
			return true
		}
	}
	return false
}

func hostNames(found dnsresolve.Findings) []string {
	names := make([]string, len(found.Hosts))
	for i, host := range found.Hosts {
		names[i] = host.Name
	}
	return names
}
