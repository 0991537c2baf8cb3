package smtpprobe

import (
	"net/netip"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// TestWaysAreDifferentClients holds that what belongs to one way out is not
// held against another: sessions, and how a provider takes to us.
func TestWaysAreDifferentClients(t *testing.T) {
	pool, err := New(Config{Egresses: egress.Egresses{{Name: "a"}, {Name: "b"}, {Name: "c"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	addr := netip.MustParseAddrPort("9.9.9.9:25")
	for _, host := range []string{"aspmx.l.google.com", "mx.a.example"} {
		names, keys := map[providerKey]bool{}, map[hostKey]bool{}
		for i := range 3 {
			r := route{host: host, addr: addr, egress: i}
			name := pool.provider(r)
			if names[name] || name.isAddress() != (host == "mx.a.example") || (name.String() == "9.9.9.9") != name.isAddress() || name.String() == "" {
				t.Errorf("%s: %v twice, or taken for another kind", host, name)
			}
			names[name], keys[pool.key(&job{route: r})] = true, true
		}
		if len(keys) != 3 {
			t.Errorf("%s: %d pools of sessions, want 3", host, len(keys))
		}
	}
}
