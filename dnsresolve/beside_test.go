package dnsresolve

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// TestIPv6BesideSlowIPv4 checks that IPv6 addresses are asked for beside IPv4
// addresses that take long, and not before; and that a host takes the time of
// one look-up at most.
func TestIPv6BesideSlowIPv4(t *testing.T) {
	const zone = "example.test. MX 10 mx.test.\nmx.test. A 192.0.2.1\nmx.test. AAAA 2001:db8::1\n"
	v4, both := host("mx.test", 10, StatusOK, "192.0.2.1"), host("mx.test", 10, StatusOK, "192.0.2.1", "2001:db8::1")
	v4.IPv6Unasked = true
	a := func(f dnstest.Fault) dnstest.Fault { f.Name, f.Type = "mx.test", "A"; return f }
	aaaa := func(f dnstest.Fault) dnstest.Fault { f.Name, f.Type = "mx.test", "AAAA"; return f }
	for _, tt := range []struct {
		name   string
		faults []dnstest.Fault
		change func(*Config)
		want   Host
		took   time.Duration
		asked  int // for AAAA
	}{
		{"slow", []dnstest.Fault{a(dnstest.Fault{Delay: 2 * time.Second})}, nil, v4, 2 * time.Second, 0},
		{"lost once, then slow", []dnstest.Fault{a(dnstest.Fault{Delay: time.Second}), a(dnstest.Fault{Kind: dnstest.Lose, Times: 1})}, nil,
			both, 4 * time.Second, 1},
		{"lost once, then sooner than IPv6", []dnstest.Fault{
			a(dnstest.Fault{Delay: time.Second}), a(dnstest.Fault{Kind: dnstest.Lose, Times: 1}), aaaa(dnstest.Fault{Delay: 2 * time.Second}),
		}, nil, v4, 4 * time.Second, 1},
		{"lost", []dnstest.Fault{a(dnstest.Fault{Kind: dnstest.Lose})}, nil, halfOf(host("mx.test", 10, StatusOK, "2001:db8::1")), 9 * time.Second, 1},
		{"lost, by two servers", []dnstest.Fault{a(dnstest.Fault{Kind: dnstest.Lose})}, twoServers,
			halfOf(host("mx.test", 10, StatusOK, "2001:db8::1")), 10 * time.Second, 1},
		{"both lost", []dnstest.Fault{{Name: "mx.test", Kind: dnstest.Lose}}, nil, host("mx.test", 10, StatusTimeout), 10 * time.Second, 3},
		{"both lost, in no time", []dnstest.Fault{{Name: "mx.test", Kind: dnstest.Lose}}, func(c *Config) { c.Timeout = 2 * time.Second },
			host("mx.test", 10, StatusTimeout), 2 * time.Second, 1},
		{"lost, in no time", []dnstest.Fault{a(dnstest.Fault{Kind: dnstest.Lose}), aaaa(dnstest.Fault{Delay: time.Second / 2})},
			func(c *Config) { c.Timeout = 2 * time.Second }, halfOf(host("mx.test", 10, StatusOK, "2001:db8::1")), 2 * time.Second, 1},
		{"fails late", []dnstest.Fault{a(dnstest.Fault{Kind: dnstest.ServFail, Delay: 2 * time.Second}), aaaa(dnstest.Fault{Kind: dnstest.Lose})}, nil,
			host("mx.test", 10, StatusServFail), 9 * time.Second, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(zone)
				for _, f := range tt.faults {
					world.Break(f)
				}
				r := newTest(t, world, func(c *Config) { c.SkipIPv6 = func(Addr) bool { return true } }, func(c *Config) {
					if tt.change != nil {
						tt.change(c)
					}
				})
				began := time.Now()
				found := find(t, r, "example.test")
				if took := time.Since(began); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				compare(t, found, Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{tt.want}})
				if n := world.Count("mx.test", dns.TypeToString[dns.TypeAAAA]); n != tt.asked {
					t.Errorf("asked %d times for AAAA, want %d", n, tt.asked)
				}
				lookups := 2
				if !tt.want.IPv6Unasked {
					lookups++
				}
				if n := len(found.Lookups); n != lookups {
					t.Errorf("%d look-ups told, want %d", n, lookups)
				}
			})
		})
	}
}
