package smtpprobe

import (
	"net/netip"
	"testing"
)

func TestRoutesAreLimited(t *testing.T) {
	hosts := []Host{{Name: "mx", Addrs: make([]netip.Addr, 100)}}
	for i := range hosts[0].Addrs {
		hosts[0].Addrs[i] = netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
	}
	rs := newRoutes(hosts, defaultPort)
	if got := len(rs.left); got != maxRoutes {
		t.Errorf("%d routes, want %d", got, maxRoutes)
	}
	for n := 1; ; n++ {
		r, ok := rs.next()
		if !ok {
			if n != maxConnections+1 {
				t.Errorf("%d connections, want %d", n-1, maxConnections)
			}
			return
		}
		if want := n == maxConnections; r.last != want {
			t.Errorf("connection %d is the last: %t, want %t", n, r.last, want)
		}
	}
}
