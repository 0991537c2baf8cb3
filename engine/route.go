package engine

import (
	"net/netip"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
)

// mailRoute keeps the hosts and addresses that may be dialled: public ones, and those in allowed networks.
func mailRoute(found dnsresolve.Findings, allowed []netip.Prefix) []smtpprobe.Host {
	var route []smtpprobe.Host
	for _, host := range found.Hosts {
		var dial []netip.Addr
		for _, addr := range host.Addrs {
			if addr.Reserved == "" || contains(allowed, addr.IP) {
				dial = append(dial, addr.IP)
			}
		}
		if len(dial) > 0 {
			route = append(route, smtpprobe.Host{Name: host.Name, Addrs: dial})
		}
	}
	return route
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
