package dnsresolve

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestKnown(t *testing.T) {
	const soa = "test. 300 SOA ns.test. hostmaster.test. 1 3600 600 86400 100\n"
	const sixHosts = "example.test. MX 0 a.test.\nexample.test. MX 1 b.test.\nexample.test. MX 2 c.test.\nexample.test. MX 3 d.test.\n" +
		"example.test. MX 4 e.test.\nexample.test. MX 5 f.test.\na.test. A 1.1.1.1\n"
	tests := []struct {
		name, zone string
		fault      dnstest.Fault
		seconds    int // that it is known for; 0: not at all
	}{
		{"until the MX record ends", soa + "example.test. 20 MX 0 mx.test.\nmx.test. 60 A 192.0.2.1\n", dnstest.Fault{}, 20},
		{"until an address ends", soa + "example.test. 60 MX 0 mx.test.\nmx.test. 30 A 192.0.2.1\n", dnstest.Fault{}, 30},
		{"until a denial ends", soa + "example.test. 600 MX 0 mx.test.\nmx.test. 600 A 192.0.2.1\n", dnstest.Fault{}, 100},
		{"without MX", soa + "example.test. 40 A 192.0.2.1\n", dnstest.Fault{}, 40},
		{"null MX", "example.test. 50 MX 0 .\n", dnstest.Fault{}, 50},
		{"one of the hosts is dead", soa + "example.test. 60 MX 0 gone.test.\nexample.test. 60 MX 1 mx.test.\nmx.test. 50 A 192.0.2.1\n", dnstest.Fault{}, 50},
		{"half an answer", soa + "example.test. 60 MX 0 mx.test.\nmx.test. 60 A 192.0.2.1\n", dnstest.Fault{Name: "mx.test", Type: "AAAA", Kind: dnstest.ServFail}, 0},
		{"the domain is denied", soa, dnstest.Fault{}, 0},
		{"no answer", "", dnstest.Fault{Kind: dnstest.ServFail}, 0},
		{"more hosts than are looked up", soa + sixHosts, dnstest.Fault{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(tt.zone)
				world.Break(tt.fault)
				r := newTest(t, world)
				if _, ok := r.Known("example.test"); ok {
					t.Error("known before anybody was asked")
				}
				first := find(t, r, "example.test")
				if tt.seconds > 0 {
					time.Sleep(time.Duration(tt.seconds)*time.Second - time.Millisecond)
					known, ok := r.Known("EXAMPLE.test")
					if !ok {
						t.Fatalf("not known after %d s", tt.seconds-1)
					}
					if diff := cmp.Diff(first, known, cmpopts.EquateComparable(netip.Addr{}), cmpopts.IgnoreFields(Lookup{}, "TTL", "Cached")); diff != "" {
						t.Errorf("known (-found +known):\n%s", diff)
					}
					for i, l := range known.Lookups {
						if want := first.Lookups[i].TTL - uint32(tt.seconds) + 1; l.TTL != want || !l.Cached {
							t.Errorf("%s %s: TTL %d, cached %t; want %d, from the cache", l.Name, l.Type, l.TTL, l.Cached, want)
						}
					}
					time.Sleep(time.Millisecond)
				}
				if _, ok := r.Known("example.test"); ok {
					t.Errorf("known after %d s", tt.seconds)
				}
			})
		})
	}
}

// TestKnownFindingsAreTheCallersOwn checks that changes by one caller are not
// seen by another, and that equal hosts are shuffled for each.
func TestKnownFindingsAreTheCallersOwn(t *testing.T) {
	const zone = "example.test. MX 10 a.test.\nexample.test. MX 10 b.test.\na.test. A 192.0.2.1\nb.test. A 192.0.2.2\n"
	r := newTest(t, dnstest.New(zone))
	first := find(t, r, "example.test")
	known := func() Findings {
		found, ok := r.Known("example.test")
		if !ok {
			t.Fatal("not known")
		}
		return found
	}
	a, b := host("a.test", 10, StatusOK, "192.0.2.1"), host("b.test", 10, StatusOK, "192.0.2.2")
	for _, mine := range []Findings{first, known()} {
		mine.Hosts[0].Addrs[0] = Addr{Reserved: "mine"}
		mine.Hosts[0], mine.Lookups[0] = Host{Name: "mine"}, Lookup{Name: "mine"}
	}
	compare(t, known(), Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{a, b}})
	if name := known().Lookups[0].Name; name != "example.test" {
		t.Errorf("first look-up of %s", name)
	}
	r.shuffle = func(n int, swap func(i, j int)) { swap(0, n-1) }
	compare(t, known(), Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{b, a}})
}

func BenchmarkMailHostsCached(b *testing.B) {
	const zone = "example.test. MX 10 a.test.\nexample.test. MX 20 b.test.\na.test. A 192.0.2.1\nb.test. A 192.0.2.2\ntest. SOA ns.test. hostmaster.test. 1 3600 600 86400 300\n"
	r := newTest(b, dnstest.New(zone))
	find(b, r, "example.test")
	b.ReportAllocs()
	for b.Loop() {
		if found := find(b, r, "example.test"); len(found.Hosts) != 2 || !found.Lookups[0].Cached {
			b.Fatalf("found %+v", found)
		}
	}
}
