package engine

import (
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
)

// TestOwnAddrs checks that the addresses of the interfaces and those that are
// named are known, and no others.
func TestOwnAddrs(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil || len(addrs) == 0 {
		t.Skipf("no interfaces: %v", err)
	}
	own := newOwnAddrs([]netip.Addr{netip.MustParseAddr("::ffff:9.9.9.10")})
	for _, addr := range addrs {
		if ip := netip.MustParsePrefix(addr.String()).Addr(); !own.has(ip) {
			t.Errorf("%s is not known", ip)
		}
	}
	if !own.has(netip.MustParseAddr("64:ff9b::9.9.9.10")) || own.has(netip.MustParseAddr("64:ff9b::9.9.9.9")) {
		t.Error("want the named address behind NAT64, and no other")
	}
	if !own.has(netip.MustParseAddr("9.9.9.10")) || own.has(netip.MustParseAddr("9.9.9.9")) {
		t.Error("want the named address, and no other")
	}
}

// TestOwnAddrsAreMarked checks that an address which is reserved anyway stays
// what it is.
func TestOwnAddrsAreMarked(t *testing.T) {
	own := newOwnAddrs([]netip.Addr{netip.MustParseAddr("9.9.9.10"), netip.MustParseAddr("127.0.0.1")})
	hosts := []dnsresolve.Host{{Addrs: []dnsresolve.Addr{
		{IP: netip.MustParseAddr("9.9.9.9")}, {IP: netip.MustParseAddr("9.9.9.10")}, {IP: netip.MustParseAddr("127.0.0.1"), Reserved: "loopback"},
	}}}
	own.mark(hosts)
	for i, want := range []string{"", markOwn, "loopback"} {
		if got := hosts[0].Addrs[i].Reserved; string(got) != want {
			t.Errorf("%s: %q, want %q", hosts[0].Addrs[i].IP, got, want)
		}
	}
}

// TestOwnAddrsAreReadAgain checks that a new address is known soon.
func TestOwnAddrsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := newOwnAddrs(nil)
		later := netip.MustParseAddr("9.9.9.11")
		if own.has(later) {
			t.Fatal("known before")
		}
		own.named = []netip.Addr{later}
		time.Sleep(addrsLast)
		if !own.has(later) {
			t.Error("not known after")
		}
	})
}
