package smtpprobe

import (
	"net/netip"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/egress"
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

// TestEgressesAreDifferentClients checks that how a provider treats one egress
// is not held against another.
func TestEgressesAreDifferentClients(t *testing.T) {
	pool, err := New(Config{Egresses: egress.Egresses{{Name: "a"}, {Name: "b"}, {Name: "c"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	for host, want := range map[string]string{"aspmx.l.google.com": "google", "mx.a.example": "a.example"} {
		keys := map[*paced]bool{}
		for _, w := range pool.ways.All() {
			r := route{host: host, addr: netip.MustParseAddrPort("9.9.9.9:25"), way: w}
			g := pool.paceFor(&mailHost{}, r)
			if keys[g] = true; g.Rules().Provider != want {
				t.Errorf("%s is %q, want %q", host, g.Rules().Provider, want)
			}
		}
		if len(keys) != 3 {
			t.Errorf("%s: %d keys, want 3", host, len(keys))
		}
	}
}
