package dnsresolve

import (
	"net/netip"
	"testing"
)

func TestReserved(t *testing.T) {
	tests := []struct{ ip, want string }{
		{"0.0.0.0", "unspecified"}, {"0.0.0.1", "this-network"}, {"0.255.255.255", "this-network"}, {"1.0.0.0", ""},
		{"9.255.255.255", ""}, {"10.0.0.0", "private"}, {"10.255.255.255", "private"}, {"11.0.0.0", ""},
		{"100.63.255.255", ""}, {"100.64.0.0", "shared"}, {"100.127.255.255", "shared"}, {"100.128.0.0", ""},
		{"127.0.0.1", "loopback"}, {"127.255.255.255", "loopback"}, {"128.0.0.0", ""},
		{"169.253.255.255", ""}, {"169.254.169.254", "link-local"}, {"169.255.0.0", ""},
		{"172.15.255.255", ""}, {"172.16.0.0", "private"}, {"172.31.255.255", "private"}, {"172.32.0.0", ""},
		{"191.255.255.255", ""}, {"192.0.0.0", "protocol"}, {"192.0.0.255", "protocol"}, {"192.0.1.0", ""},
		{"192.0.2.0", "documentation"}, {"192.0.3.0", ""}, {"198.51.100.255", "documentation"}, {"203.0.113.7", "documentation"},
		{"192.31.196.1", "as112"}, {"192.52.193.1", "amt"}, {"192.88.99.1", "6to4-relay"}, {"192.175.48.1", "as112"},
		{"192.167.255.255", ""}, {"192.168.0.0", "private"}, {"192.169.0.0", ""},
		{"198.17.255.255", ""}, {"198.18.0.0", "benchmarking"}, {"198.19.255.255", "benchmarking"}, {"198.20.0.0", ""},
		{"223.255.255.255", ""}, {"224.0.0.0", "multicast"}, {"239.255.255.255", "multicast"},
		{"240.0.0.0", "reserved"}, {"255.255.255.254", "reserved"}, {"255.255.255.255", "broadcast"},

		{"::", "unspecified"}, {"::1", "loopback"}, {"::2", "v4-compatible"}, {"::9.9.9.9", "v4-compatible"}, {"::1:0:0:0", "reserved"},
		{"::ffff:9.9.9.9", "v4-mapped"}, {"::ffff:127.0.0.1", "v4-mapped"}, {"::ffff:0:9.9.9.9", "v4-translated"},
		{"64:ff9b::1:0:0", "reserved"}, {"64:ff9b:1::1", "nat64"}, {"64:ff9b:2::1", "reserved"},

		// NAT64 of a public address, and of others.
		{"64:ff9b::9.9.9.9", ""}, {"64:ff9b::127.0.0.1", "nat64"}, {"64:ff9b::10.1.2.3", "nat64"}, {"64:ff9b::169.254.169.254", "nat64"},
		{"64:ff9b::192.0.2.1", "nat64"}, {"64:ff9b::", "nat64"}, {"64:ff9b::0.0.0.1", "nat64"}, {"64:ff9b::255.255.255.255", "nat64"},
		{"64:ff9b:1::9.9.9.9", ""}, {"64:ff9b:1::127.0.0.1", "nat64"}, {"64:ff9b:1::", "nat64"},
		{"64:ff9b:1:909:9:900::", ""}, {"64:ff9b:1:a01:2:300::", "nat64"}, // a prefix of 48
		{"64:ff9b:1:9:9:909::", ""}, {"64:ff9b:1:a:1:203::", "nat64"}, // of 56
		{"64:ff9b:1:0:9:909:900:0", ""}, {"64:ff9b:1:0:7f:0:100:0", "nat64"}, // of 64
		{"64:ff9b:1:a01:2:300:909:909", "nat64"}, {"64:ff9b:1:909:9:900:a01:203", "nat64"}, // whichever it is
		{"100::1", "discard"}, {"100:0:0:1::1", "dummy"}, {"100:0:0:2::1", "reserved"},
		{"1fff:ffff::", "reserved"}, {"2000::", ""},
		{"2001::1", "teredo"}, {"2001:1::1", "protocol"}, {"2001:2::1", "benchmarking"}, {"2001:2:1::", "protocol"}, {"2001:3::1", "amt"},
		{"2001:4:112::1", "as112"}, {"2001:4:113::1", "protocol"}, {"2001:10::1", "orchid"}, {"2001:20::1", "orchidv2"},
		{"2001:2f::1", "orchidv2"}, {"2001:30::1", "drone"}, {"2001:40::1", "protocol"}, {"2001:1ff::", "protocol"}, {"2001:200::", ""},
		{"2001:db8::1", "documentation"}, {"2001:db9::", ""}, {"2002:7f00:1::", "6to4"}, {"2003::", ""}, {"2620:4f:8000::1", "as112"},
		{"2a00:1450:4001::1a", ""}, {"3ffe::1", ""}, {"3fff::1", "documentation"}, {"3fff:fff::1", "documentation"}, {"3fff:1000::", ""},
		{"4000::", "reserved"}, {"5f00::1", "srv6"}, {"5f01::", "reserved"},
		{"fc00::1", "private"}, {"fdff::1", "private"}, {"fe00::", "reserved"}, {"fe80::1", "link-local"}, {"fe80::1%eth0", "link-local"},
		{"febf::1", "link-local"}, {"fec0::1", "site-local"}, {"feff::1", "site-local"}, {"ff02::1", "multicast"},
	}
	for _, tt := range tests {
		if got := Reserved(netip.MustParseAddr(tt.ip)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.ip, got, tt.want)
		}
	}
	if got := Reserved(netip.Addr{}); got == "" {
		t.Error("no address at all counts as public")
	}
}

// TestSmallerBlocksComeFirst checks the order: a block after a larger one that
// contains it would never be found.
func TestSmallerBlocksComeFirst(t *testing.T) {
	for i, b := range specialPurpose {
		if b.prefix != b.prefix.Masked() {
			t.Errorf("%s has bits set behind its length", b.prefix)
		}
		for _, before := range specialPurpose[:i] {
			if before.prefix.Bits() <= b.prefix.Bits() && before.prefix.Overlaps(b.prefix) {
				t.Errorf("%s comes behind %s", b.prefix, before.prefix)
			}
		}
	}
}
