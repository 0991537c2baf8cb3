package dnsresolve

import (
	"cmp"
	"net/netip"
	"slices"
)

// adapter is a network adapter of Windows, where each has its own DNS servers.
type adapter struct {
	up, gateway bool
	metric      uint32 // the lowest is preferred
	servers     []netip.Addr
}

// siteLocal has the servers fec0:0:0:ffff::1 to 3, which Windows gives every
// adapter without an IPv6 server. Nothing answers there.
var siteLocal = netip.MustParsePrefix("fec0::/10")

// adapterServers returns the servers to ask: those of adapters that are up and
// lead out of the local network, or else of any that is up, each once.
func adapterServers(all []adapter) (hosts []string, port string, err error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b adapter) int { return cmp.Compare(a.metric, b.metric) })
	for _, gateway := range []bool{true, false} {
		for _, a := range all {
			if !a.up || gateway && !a.gateway {
				continue
			}
			for _, server := range a.servers {
				host := server.String()
				if server.IsValid() && !siteLocal.Contains(server.WithZone("")) && !slices.Contains(hosts, host) {
					hosts = append(hosts, host)
				}
			}
		}
		if len(hosts) > 0 {
			return hosts, defaultPort, nil
		}
	}
	return nil, "", errNoServers
}
