package engine

import (
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
)

// TestOwnAddrs holds that the addresses of the interfaces are known without being named, and those that are named, and no others.
func TestOwnAddrs(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil || len(addrs) == 0 {
		t.Skipf("no interfaces: %v", err)
	}
	own := &ownAddrs{named: []netip.Addr{netip.MustParseAddr("::ffff:9.9.9.10")}}
	for _, addr := range addrs {
		if ip := netip.MustParsePrefix(addr.String()).Addr(); !own.has(ip) {
			t.Errorf("%s is not known", ip)
		}
	}
	if !own.has(netip.MustParseAddr("9.9.9.10")) || own.has(netip.MustParseAddr("9.9.9.9")) {
		t.Error("want the named address, and no other")
	}
}

// TestOwnAddrsAreMarked holds that an address which is reserved anyway stays what it is.
func TestOwnAddrsAreMarked(t *testing.T) {
	own := &ownAddrs{named: []netip.Addr{netip.MustParseAddr("9.9.9.10"), netip.MustParseAddr("127.0.0.1")}}
	hosts := []dnsresolve.Host{{Addrs: []dnsresolve.Addr{
		{IP: netip.MustParseAddr("9.9.9.9")}, {IP: netip.MustParseAddr("9.9.9.10")}, {IP: netip.MustParseAddr("127.0.0.1"), Reserved: "loopback"},
	}}}
	own.mark(hosts)
	for i, want := range []string{"", ownAddress, "loopback"} {
		if got := hosts[0].Addrs[i].Reserved; string(got) != want {
			t.Errorf("%s: %q, want %q", hosts[0].Addrs[i].IP, got, want)
		}
	}
}

// TestOwnAddrsAreReadAgain holds that a machine which gets another address is known by it soon.
func TestOwnAddrsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &ownAddrs{}
		later := netip.MustParseAddr("9.9.9.11")
		if own.has(later) {
			t.Fatal("known before")
		}
		own.named = []netip.Addr{later}
		time.Sleep(ownAddrsLast)
		if !own.has(later) {
			t.Error("not known after")
		}
	})
}
