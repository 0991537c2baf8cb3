package dnsresolve

import (
	"net/netip"
	"slices"
)

// marked are addresses with the special-purpose blocks that they are in.
func marked(ips []netip.Addr) []Addr {
	var addrs []Addr
	for _, ip := range ips {
		addrs = append(addrs, Addr{IP: ip, Reserved: Reserved(ip)})
	}
	return addrs
}

// cut keeps at most that many addresses, in their order. Reserved addresses are
// dropped first: they must not displace those that can be reached.
func cut(addrs []Addr, most int) []Addr {
	if len(addrs) <= most {
		return addrs
	}
	var public int
	for _, addr := range addrs {
		if addr.public() {
			public++
		}
	}
	public = min(public, most)
	reserved := most - public

	var kept []Addr
	for _, addr := range addrs {
		room := &reserved
		if addr.public() {
			room = &public
		}
		if *room > 0 {
			*room--
			kept = append(kept, addr)
		}
	}
	return kept
}

func (a Addr) public() bool { return a.Reserved == "" }

func anyPublic(addrs []Addr) bool { return slices.ContainsFunc(addrs, Addr.public) }
