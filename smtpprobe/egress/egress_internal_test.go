package egress

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"testing"
)

// publicAddr returns the i-th of a series of addresses of both families, each
// in a network of its own.
func publicAddr(i int) netip.Addr {
	if i%2 == 0 {
		return netip.MustParseAddr(fmt.Sprintf("9.%d.%d.1", i/250, i%250))
	}
	return netip.MustParseAddr(fmt.Sprintf("2620:fe:%x::1", i))
}

func chosen(all Egresses, addr netip.Addr) string {
	if i := all.Choose(addr); i != None {
		return all[i].Name
	}
	return "none"
}

// TestChoiceIsStable checks that neither the order of the egresses nor adding
// or removing one moves the addresses of the others, and that all are used.
func TestChoiceIsStable(t *testing.T) {
	all := Egresses{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	without := all[:3]
	uses := map[string]int{}
	const addrs = 1000
	for i := range addrs {
		addr := publicAddr(i)
		name := chosen(all, addr)
		uses[name]++
		if got := chosen(reversed, addr); got != name {
			t.Errorf("%s: %s, and in another order %s", addr, name, got)
		}
		if got := chosen(without, addr); name != "d" && got != name {
			t.Errorf("%s: %s, and without d %s", addr, name, got)
		}
	}
	for name, n := range uses {
		if n < addrs/len(all)*7/10 {
			t.Errorf("%s has %d of %d addresses", name, n, addrs)
		}
	}
}

// TestWeights checks that shares are in proportion to weights, and that a
// weight that grows takes addresses from the others only.
func TestWeights(t *testing.T) {
	all := Egresses{{Name: "a"}, {Name: "b", Weight: 1}, {Name: "c", Weight: 2}}
	heavier := slices.Clone(all)
	heavier[2].Weight = 6
	uses := map[string]int{}
	const addrs = 4000
	for i := range addrs {
		name := chosen(all, publicAddr(i))
		uses[name]++
		if got := chosen(heavier, publicAddr(i)); got != name && got != "c" {
			t.Fatalf("%s: %s, and with a heavier c %s", publicAddr(i), name, got)
		}
	}
	for name, want := range map[string]int{"a": addrs / 4, "b": addrs / 4, "c": addrs / 2} {
		if got := uses[name]; got < want*9/10 || got > want*11/10 {
			t.Errorf("%s has %d of %d addresses, want about %d", name, got, addrs, want)
		}
	}
}

func TestNeighboursGoTheSameWay(t *testing.T) {
	all := Egresses{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	for _, site := range []string{"9.9.%d.1 9.9.%d.200 ::ffff:9.9.%d.7", "2620:fe:%d::1 2620:fe:%d:1::2 2620:fe:%d::fe"} {
		for i := range 20 {
			var addrs [3]string
			_, _ = fmt.Sscan(fmt.Sprintf(site, i, i, i), &addrs[0], &addrs[1], &addrs[2])
			for _, addr := range addrs[1:] {
				if a, b := chosen(all, netip.MustParseAddr(addrs[0])), chosen(all, netip.MustParseAddr(addr)); a != b {
					t.Errorf("%s: %s, %s: %s", addrs[0], a, addr, b)
				}
			}
		}
	}
}

func TestFamilies(t *testing.T) {
	both := Egresses{{Name: "four", Only4: true}, {Name: "six", Only6: true}}
	for addr, want := range map[string]string{"9.9.9.9": "four", "::ffff:9.9.9.9": "four", "2620:fe::fe": "six"} {
		if got := chosen(both, netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
	for addr, only := range map[string]Egresses{"2620:fe::fe": both[:1], "9.9.9.9": both[1:], "::ffff:9.9.9.9": both[1:]} {
		if got := chosen(only, netip.MustParseAddr(addr)); got != "none" {
			t.Errorf("%s: %s, want none", addr, got)
		}
	}
}

// TestProxiesOfOneGateway checks that two proxies that differ only in the user
// name are two egresses.
func TestProxiesOfOneGateway(t *testing.T) {
	var all Egresses
	for _, user := range []string{"one", "two"} {
		e, err := Proxy(&url.URL{Scheme: "socks5", Host: "gate.example:1080", User: url.UserPassword(user, "x")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	uses := [2]int{}
	for i := range 100 {
		uses[all.Choose(publicAddr(i))]++
	}
	if uses[0] < 20 || uses[1] < 20 {
		t.Errorf("uses %v", uses)
	}
}

// TestLostSourceIP checks that an address which this machine no longer has is
// reported as our failure, and a host that refuses is not.
func TestLostSourceIP(t *testing.T) {
	const closed = "127.0.0.1:1" // not one that was free a moment ago: it may be taken again
	for ip, lost := range map[string]bool{"192.0.2.200": true, "127.0.0.1": false} {
		dialer := &sourceDialer{net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 0))}, ip}
		conn, err := dialer.DialContext(t.Context(), "tcp", closed)
		if err == nil {
			_ = conn.Close()
		}
		var own *Error
		if errors.As(err, &own) != lost || lost && own.Egress != ip || err == nil {
			t.Errorf("%s: %v", ip, err)
		}
	}
}

// TestSourceIPLeadsToItsFamily checks that an address, in whatever form,
// reaches hosts of its own family only.
func TestSourceIPLeadsToItsFamily(t *testing.T) {
	for ip, leadsTo := range map[string]string{"127.0.0.1": "9.9.9.9", "::ffff:127.0.0.1": "9.9.9.9", "::1": "2620:fe::fe"} {
		e, err := SourceIP(netip.MustParseAddr(ip))
		if err != nil {
			t.Logf("not an address of this machine: %v", err)
			continue
		}
		for _, addr := range []string{"9.9.9.9", "2620:fe::fe"} {
			if got := e.Reaches(netip.MustParseAddr(addr)); got != (addr == leadsTo) {
				t.Errorf("from %s to %s: %v", ip, addr, got)
			}
		}
	}
}
