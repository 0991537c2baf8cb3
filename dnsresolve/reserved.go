package dnsresolve

import (
	"net/netip"
	"slices"
)

// block is a special-purpose address block.
type block struct {
	prefix netip.Prefix
	name   string
}

// Reserved names the special-purpose block of the IANA registries (RFC 6890)
// that ip is in, or returns "" for a public address. An IPv6 address that
// carries an IPv4 address (IPv4-mapped, 6to4 …) has the name of its form,
// whatever the IPv4 address within. Only an address of NAT64 is public if that
// is: on a network without IPv4, a DNS64 gives every mail host that has no
// other such an address (RFC 6147).
func Reserved(ip netip.Addr) string {
	ip = ip.WithZone("")
	for _, b := range specialPurpose {
		if !b.prefix.Contains(ip) {
			continue
		}
		if carried := NAT64(ip); len(carried) > 0 && !slices.ContainsFunc(carried, isReserved) {
			return ""
		}
		return b.name
	}
	if ip.Is4() || globalUnicast.Contains(ip) {
		return ""
	}
	return "reserved"
}

func isReserved(ip netip.Addr) bool { return Reserved(ip) != "" }

// The prefixes of NAT64. Behind the first the IPv4 address has one place. The
// second is a network's own to divide.
var (
	nat64WellKnown = netip.MustParsePrefix("64:ff9b::/96")   // RFC 6052 §2.1
	nat64Local     = netip.MustParsePrefix("64:ff9b:1::/48") // RFC 8215
)

// nat64Places are the octets that RFC 6052 §2.2 has an IPv4 address in, by the
// length of the prefix: 96, 64, 56 and 48.
var nat64Places = [][4]int{{12, 13, 14, 15}, {9, 10, 11, 12}, {7, 9, 10, 11}, {6, 7, 9, 10}}

// NAT64 returns the IPv4 addresses that an address of NAT64 may stand for, none
// for another address: one behind the well-known prefix, and behind a local one
// that of each place with something in it, because its length is unknown.
func NAT64(ip netip.Addr) (carried []netip.Addr) {
	places := nat64Places
	switch {
	case nat64WellKnown.Contains(ip):
		places = places[:1]
	case !nat64Local.Contains(ip):
		return nil
	}
	octets := ip.As16()
	for _, at := range places {
		if octets[at[0]] != 0 { // else it is no address of a host
			v4 := [4]byte{octets[at[0]], octets[at[1]], octets[at[2]], octets[at[3]]}
			carried = append(carried, netip.AddrFrom4(v4))
		}
	}
	return carried
}

// globalUnicast is the only IPv6 space that is allocated (IANA IPv6 address
// space registry).
var globalUnicast = netip.MustParsePrefix("2000::/3")

// specialPurpose are the blocks, each before the larger one that contains it.
var specialPurpose = []block{
	{netip.MustParsePrefix("0.0.0.0/32"), "unspecified"},        // RFC 1122 §3.2.1.3
	{netip.MustParsePrefix("0.0.0.0/8"), "this-network"},        // RFC 791 §3.2
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},            // RFC 1918
	{netip.MustParsePrefix("100.64.0.0/10"), "shared"},          // RFC 6598
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},          // RFC 1122 §3.2.1.3
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},     // RFC 3927
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},         // RFC 1918
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol"},         // RFC 6890 §2.1
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},    // RFC 5737
	{netip.MustParsePrefix("192.31.196.0/24"), "as112"},         // RFC 7535
	{netip.MustParsePrefix("192.52.193.0/24"), "amt"},           // RFC 7450
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4-relay"},     // RFC 7526
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},        // RFC 1918
	{netip.MustParsePrefix("192.175.48.0/24"), "as112"},         // RFC 7534
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},    // RFC 2544
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"}, // RFC 5737
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},  // RFC 5737
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},         // RFC 5771
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast"},  // RFC 8190, RFC 919 §7
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},          // RFC 1112 §4

	{netip.MustParsePrefix("::/128"), "unspecified"},            // RFC 4291 §2.5.2
	{netip.MustParsePrefix("::1/128"), "loopback"},              // RFC 4291 §2.5.3
	{netip.MustParsePrefix("::/96"), "v4-compatible"},           // RFC 4291 §2.5.5.1
	{netip.MustParsePrefix("::ffff:0:0/96"), "v4-mapped"},       // RFC 4291 §2.5.5.2
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "v4-translated"}, // RFC 2765 §2.1
	{netip.MustParsePrefix("64:ff9b::/96"), "nat64"},            // RFC 6052
	{netip.MustParsePrefix("64:ff9b:1::/48"), "nat64"},          // RFC 8215
	{netip.MustParsePrefix("100::/64"), "discard"},              // RFC 6666
	{netip.MustParsePrefix("100:0:0:1::/64"), "dummy"},          // RFC 9780
	{netip.MustParsePrefix("2001::/32"), "teredo"},              // RFC 4380
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking"},      // RFC 5180
	{netip.MustParsePrefix("2001:3::/32"), "amt"},               // RFC 7450
	{netip.MustParsePrefix("2001:4:112::/48"), "as112"},         // RFC 7535
	{netip.MustParsePrefix("2001:10::/28"), "orchid"},           // RFC 4843
	{netip.MustParsePrefix("2001:20::/28"), "orchidv2"},         // RFC 7343
	{netip.MustParsePrefix("2001:30::/28"), "drone"},            // RFC 9374
	{netip.MustParsePrefix("2001::/23"), "protocol"},            // RFC 2928
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},   // RFC 3849
	{netip.MustParsePrefix("2002::/16"), "6to4"},                // RFC 3056
	{netip.MustParsePrefix("2620:4f:8000::/48"), "as112"},       // RFC 7534
	{netip.MustParsePrefix("3fff::/20"), "documentation"},       // RFC 9637
	{netip.MustParsePrefix("5f00::/16"), "srv6"},                // RFC 9602
	{netip.MustParsePrefix("fc00::/7"), "private"},              // RFC 4193
	{netip.MustParsePrefix("fe80::/10"), "link-local"},          // RFC 4291 §2.5.6
	{netip.MustParsePrefix("fec0::/10"), "site-local"},          // RFC 3879
	{netip.MustParsePrefix("ff00::/8"), "multicast"},            // RFC 4291 §2.7
}
