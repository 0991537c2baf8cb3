package engine

import (
	"net/netip"
	"testing"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// TestMayReach checks that an IPv4 address suffices only where it may be
// dialled, and something of ours leads there.
func TestMayReach(t *testing.T) {
	addr := netip.MustParseAddr
	for _, tt := range []struct {
		name    string
		ip      string
		sources []netip.Addr
		want    bool
	}{
		{"public", "9.9.9.9", nil, true},
		{"reserved", "10.0.0.1", nil, false},
		{"allowed", "10.1.0.1", nil, true},
		{"of this machine", "9.9.9.99", nil, false},
		{"from IPv4", "9.9.9.9", []netip.Addr{addr("192.0.2.1")}, true},
		{"from IPv4 in an IPv6 address", "9.9.9.9", []netip.Addr{addr("::ffff:192.0.2.1")}, true},
		{"from both", "9.9.9.9", []netip.Addr{addr("2001:db8::1"), addr("192.0.2.1")}, true},
		{"from IPv6 alone", "9.9.9.9", []netip.Addr{addr("2001:db8::1")}, false},
	} {
		var all egress.Egresses
		for _, ip := range tt.sources {
			all = append(all, egress.Egress{Only4: ip.Unmap().Is4(), Only6: !ip.Unmap().Is4()})
		}
		pool, err := smtpprobe.New(smtpprobe.Config{Egresses: all})
		if err != nil {
			t.Fatal(err)
		}
		own, allowed := newOwnAddrs([]netip.Addr{addr("9.9.9.99")}), []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
		ip := addr(tt.ip)
		if got := mayReach(pool, own, allowed)(dnsresolve.Addr{IP: ip, Reserved: dnsresolve.Reserved(ip)}); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
