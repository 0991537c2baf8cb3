package dnsresolve

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestMailHosts(t *testing.T) {
	const mx1 = "\nmx1.example.test. A 192.0.2.1\n"
	const mx2 = "\nmx2.example.test. A 192.0.2.2\n"
	ok1 := host("mx1.example.test", 10, StatusOK, "192.0.2.1")
	tests := []struct {
		name, zone string
		want       Findings
	}{
		{"preference decides", "example.test. MX 20 mx2.example.test.\nexample.test. MX 10 mx1.example.test." + mx1 + mx2,
			Findings{Status: StatusOK, Hosts: []Host{ok1, host("mx2.example.test", 20, StatusOK, "192.0.2.2")}}},
		{"a host named twice has its best preference", "example.test. MX 10 MX1.example.TEST.\nexample.test. MX 5 mx1.example.test." + mx1,
			Findings{Status: StatusOK, Hosts: []Host{host("mx1.example.test", 5, StatusOK, "192.0.2.1")}}},
		{"IPv4 first", "example.test. MX 10 mx1.example.test.\nmx1.example.test. AAAA 2001:db8::1" + mx1,
			Findings{Status: StatusOK, Hosts: []Host{host("mx1.example.test", 10, StatusOK, "192.0.2.1", "2001:db8::1")}}},
		{"null MX", "example.test. MX 0 .\nexample.test. A 192.0.2.1", Findings{Status: StatusOK, NullMX: true}},
		{"null MX with a preference", "example.test. MX 10 .", Findings{Status: StatusOK, NullMX: true}},
		{"null MX next to another is passed over", "example.test. MX 0 .\nexample.test. MX 10 mx1.example.test." + mx1,
			Findings{Status: StatusOK, Hosts: []Host{ok1}}},
		{"implicit MX, IPv4", "example.test. A 192.0.2.1",
			Findings{Status: StatusOK, Implicit: true, Hosts: []Host{host("example.test", 0, StatusOK, "192.0.2.1")}}},
		{"implicit MX, IPv6", "example.test. AAAA 2001:db8::1",
			Findings{Status: StatusOK, Implicit: true, Hosts: []Host{host("example.test", 0, StatusOK, "2001:db8::1")}}},
		{"nothing for mail", "example.test. TXT \"v=spf1 -all\"", Findings{Status: StatusNoData}},
		{"only names below", "www.example.test. A 192.0.2.1", Findings{Status: StatusNoData}},
		{"no such domain", "example.invalid. A 192.0.2.1", Findings{Status: StatusNXDomain}},
		{"wildcard", "*.test. MX 10 mx1.example.test.\nexample.invalid. A 192.0.2.9" + strings.ReplaceAll(mx1, "example.test", "example.invalid"),
			Findings{Status: StatusOK, Hosts: []Host{host("mx1.example.test", 10, StatusNoData)}}},
		{"hosts without an address stay, with the reason", "example.test. MX 5 gone.test.\nexample.test. MX 7 text.test.\n" +
			"example.test. MX 10 mx1.example.test.\ntext.test. TXT \"x\"" + mx1,
			Findings{Status: StatusOK, Hosts: []Host{host("gone.test", 5, StatusNXDomain), host("text.test", 7, StatusNoData), ok1}}},
		{"the domain is an alias", "example.test. CNAME other.test.\nother.test. MX 10 mx1.example.test." + mx1,
			Findings{Status: StatusOK, Hosts: []Host{ok1}}},
		{"the domain is an alias of nothing", "example.test. CNAME other.test.", Findings{Status: StatusNXDomain}},
		{"the host is an alias", "example.test. MX 10 mail.test.\nmail.test. CNAME mx1.example.test." + mx1,
			Findings{Status: StatusOK, Hosts: []Host{host("mail.test", 10, StatusOK, "192.0.2.1")}}},
		{"the same address twice", "example.test. MX 10 mail.test.\nmail.test. A 192.0.2.1\nmail.test. A 192.0.2.1",
			Findings{Status: StatusOK, Hosts: []Host{host("mail.test", 10, StatusOK, "192.0.2.1")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Domain = "example.test"
			compare(t, find(t, newTest(t, dnstest.New(tt.zone)), "example.test"), tt.want)
		})
	}
}

// What is not known must never look like a denial.
func TestFailuresAreNotDenials(t *testing.T) {
	const zone = "example.test. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\nbare.test. A 192.0.2.1\ntext.test. TXT \"x\"\n"
	ok := []Host{host("mx.example.test", 10, StatusOK, "192.0.2.1")}
	implicit := func(name string) Findings {
		return Findings{Status: StatusOK, Implicit: true, Hosts: []Host{host(name, 0, StatusOK, "192.0.2.1")}}
	}
	type faults = []dnstest.Fault
	tests := []struct {
		name, domain string
		faults       faults
		want         Findings
	}{
		{"servfail", "example.test", faults{{Type: "MX", Kind: dnstest.ServFail}}, Findings{Status: StatusServFail}},
		{"refused", "example.test", faults{{Type: "MX", Kind: dnstest.Refused}}, Findings{Status: StatusRefused}},
		{"silence", "example.test", faults{{Type: "MX", Kind: dnstest.Lose}}, Findings{Status: StatusTimeout}},
		{"slow", "example.test", faults{{Type: "MX", Delay: defaultTryTimeout + 1}}, Findings{Status: StatusTimeout}},
		{"unreachable", "example.test", faults{{Type: "MX", Kind: dnstest.Unreachable}}, Findings{Status: StatusError}},
		{"malformed", "example.test", faults{{Type: "MX", Kind: dnstest.Malformed}}, Findings{Status: StatusMalformed}},
		{"truncated for ever", "example.test", faults{{Type: "MX", Kind: dnstest.TruncateForever}}, Findings{Status: StatusMalformed}},
		{"forged ID", "example.test", faults{{Type: "MX", Kind: dnstest.ForgeID}}, Findings{Status: StatusMalformed}},
		{"forged question", "example.test", faults{{Type: "MX", Kind: dnstest.ForgeQuestion}}, Findings{Status: StatusMalformed}},
		{"a denial with records", "example.test", faults{{Type: "MX", Kind: dnstest.DenyWithRecords}}, Findings{Status: StatusMalformed}},
		{"a denial that nobody stands behind", "nowhere.test", faults{{Kind: dnstest.Unfounded}}, Findings{Status: StatusRefused}},
		{"larger than any UDP answer", "example.test", faults{{Kind: dnstest.Oversize}}, Findings{Status: StatusOK, Hosts: ok}},
		{"case not kept", "example.test", faults{{Kind: dnstest.ChangeCase}}, Findings{Status: StatusOK, Hosts: ok}},
		{"strangers around the answer", "example.test", faults{{Type: "MX", Kind: dnstest.Strangers}}, Findings{Status: StatusOK, Hosts: ok}},
		{"referral", "text.test", faults{{Type: "MX", Kind: dnstest.Referral}}, Findings{Status: StatusRefused}},
		{"truncated over UDP only", "example.test", faults{{Kind: dnstest.Truncate}}, Findings{Status: StatusOK, Hosts: ok}},
		{"server without EDNS0", "example.test", faults{{Kind: dnstest.FormErr}}, Findings{Status: StatusOK, Hosts: ok}},
		{"lost twice", "example.test", faults{{Type: "MX", Kind: dnstest.Lose, Times: 2}}, Findings{Status: StatusOK, Hosts: ok}},

		{"NXDOMAIN for MX alone, address found", "bare.test", faults{{Type: "MX", Kind: dnstest.NXDomain}}, implicit("bare.test")},
		{"NXDOMAIN for MX alone, no address", "text.test", faults{{Type: "MX", Kind: dnstest.NXDomain}}, Findings{Status: StatusNoData}},
		{"NXDOMAIN for MX, A unknown", "nowhere.test", faults{{Type: "A", Kind: dnstest.ServFail}}, Findings{Status: StatusServFail}},
		{"NXDOMAIN for MX, AAAA unknown", "nowhere.test", faults{{Type: "AAAA", Kind: dnstest.Lose}}, Findings{Status: StatusTimeout}},
		{"NODATA for MX, AAAA unknown", "text.test", faults{{Type: "AAAA", Kind: dnstest.Refused}}, Findings{Status: StatusRefused}},
		{"NODATA for MX, NXDOMAIN for addresses", "text.test", faults{{Type: "A", Kind: dnstest.NXDomain}, {Type: "AAAA", Kind: dnstest.NXDomain}},
			Findings{Status: StatusNoData}},
		{"NODATA for MX, A found, AAAA unknown", "bare.test", faults{{Type: "AAAA", Kind: dnstest.ServFail}},
			Findings{Status: StatusOK, Implicit: true, Hosts: []Host{halfOf(host("bare.test", 0, StatusOK, "192.0.2.1"))}}},

		{"host with A, AAAA unknown", "example.test", faults{{Type: "AAAA", Kind: dnstest.Lose}},
			Findings{Status: StatusOK, Hosts: []Host{halfOf(ok[0])}}},
		{"host with A unknown, AAAA NODATA", "example.test", faults{{Type: "A", Kind: dnstest.Lose}},
			Findings{Status: StatusOK, Hosts: []Host{host("mx.example.test", 10, StatusTimeout)}}},
		{"host with A NXDOMAIN, AAAA unknown", "example.test", faults{{Type: "A", Kind: dnstest.NXDomain}, {Type: "AAAA", Kind: dnstest.ServFail}},
			Findings{Status: StatusOK, Hosts: []Host{host("mx.example.test", 10, StatusServFail)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(zone)
				for _, f := range tt.faults {
					world.Break(f)
				}
				tt.want.Domain = tt.domain
				compare(t, find(t, newTest(t, world), tt.domain), tt.want)
			})
		})
	}
}

func TestDeadHostsAreReplaced(t *testing.T) {
	zoneWith := func(address string, dead, live int) string {
		var b strings.Builder
		for i := range dead {
			fmt.Fprintf(&b, "example.test. MX %d dead%d.test.\ndead%d.test. %s\n", i, i, i, address)
		}
		for i := range live {
			fmt.Fprintf(&b, "example.test. MX %d live%d.test.\nlive%d.test. A 9.9.9.9\n", dead+i, i, i)
		}
		return b.String()
	}
	zone := func(dead, live int) string { return zoneWith("TXT none", dead, live) }
	tests := []struct {
		name                 string
		zone                 string
		hosts, live, omitted int
	}{
		{"enough live ones", zone(0, 7), 2, 2, 5},
		{"one of the first is live", zone(1, 3), 2, 1, 2},
		{"the first are dead", zone(4, 4), 6, 2, 2},
		{"all are dead", zone(7, 0), 7, 0, 0},
		{"too many are dead", zone(maxDeadHosts+3, 1), maxDeadHosts, 0, 4},
		{"the first are loopback", zoneWith("A 127.0.0.1", 3, 4), 4, 1, 3},
		{"all are private", zoneWith("AAAA fc00::1", 7, 0), 7, 0, 0},
		{"too many are reserved", zoneWith("A 10.0.0.1", maxDeadHosts+3, 1), maxDeadHosts, 0, 4},
		{"reserved and public", zoneWith("A 127.0.0.1\ndead0.test. AAAA 2620:fe::fe", 2, 1), 2, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := find(t, newTest(t, dnstest.New(tt.zone), func(c *Config) { c.MaxHosts = 2 }), "example.test")
			live := 0
			for _, h := range found.Hosts {
				if anyPublic(h.Addrs) {
					live++
				}
			}
			if len(found.Hosts) != tt.hosts || live != tt.live || found.Omitted != tt.omitted {
				t.Errorf("%d hosts, %d with a public address, %d omitted; want %d, %d, %d",
					len(found.Hosts), live, found.Omitted, tt.hosts, tt.live, tt.omitted)
			}
		})
	}
}

func TestUnknownHostsAreNotReplaced(t *testing.T) {
	world := dnstest.New("example.test. MX 1 a.test.\nexample.test. MX 2 b.test.\nb.test. A 9.9.9.9\n")
	world.Break(dnstest.Fault{Name: "a.test", Kind: dnstest.ServFail})
	found := find(t, newTest(t, world, func(c *Config) { c.MaxHosts = 1 }), "example.test")
	compare(t, found, Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{host("a.test", 1, StatusServFail)}, Omitted: 1})
}

func TestReservedAddressesAreMarked(t *testing.T) {
	world := dnstest.New("example.test. A 127.0.0.1\nexample.test. AAAA ::ffff:192.0.2.1\nexample.test. A 9.9.9.9\n")
	found := find(t, newTest(t, world), "example.test")
	got := fmt.Sprint(found.Hosts[0].Addrs)
	if want := "[{127.0.0.1 loopback} {9.9.9.9 } {::ffff:192.0.2.1 v4-mapped}]"; got != want {
		t.Errorf("addresses %s, want %s", got, want)
	}
}

func TestEvidence(t *testing.T) {
	world := dnstest.New("example.test. CNAME other.test.\nother.test. 60 MX 10 mx.test.\nmx.test. 120 A 192.0.2.1\n")
	world.Break(dnstest.Fault{Kind: dnstest.Validated})
	world.Break(dnstest.Fault{Type: "AAAA", Kind: dnstest.ServFail})
	compare(t, find(t, newTest(t, world), "Example.Test."), Findings{
		Domain: "example.test", Status: StatusOK, Hosts: []Host{halfOf(host("mx.test", 10, StatusOK, "192.0.2.1"))},
		Lookups: []Lookup{
			{Name: "example.test", Type: "MX", Status: StatusOK, Server: firstServer, TTL: 60, AD: true, CNAMEs: []string{"other.test"}},
			{Name: "mx.test", Type: "A", Status: StatusOK, Server: firstServer, TTL: 120, AD: true},
			{Name: "mx.test", Type: "AAAA", Status: StatusServFail, Server: firstServer, TTL: failureTTL, Error: "SERVFAIL"},
		},
	})
}

func TestEvidenceOfAliasesAskedOneByOne(t *testing.T) {
	world := dnstest.New("example.test. 20 CNAME a.test.\na.test. 40 CNAME b.test.\nb.test. 60 MX 0 .\n")
	world.Break(dnstest.Fault{Kind: dnstest.SingleValidated})
	insecureFirst := exchangerFunc(func(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error) {
		m, err := askWorld(ctx, world, query, network, server)
		if err == nil {
			m.AuthenticatedData = m.AuthenticatedData && query.Question[0].Name != "example.test."
		}
		return m, err
	})
	aliases := []string{"a.test", "b.test"}
	ok := Lookup{Name: "example.test", Type: "MX", Status: StatusOK, Server: firstServer, TTL: 20, AD: true, CNAMEs: aliases}
	insecure := ok
	insecure.AD = false
	for _, tt := range []struct {
		exchanger Exchanger
		want      Lookup
	}{{world, ok}, {insecureFirst, insecure}} {
		if _, got := newTest(t, tt.exchanger).look(t.Context(), "example.test", dns.TypeMX); !cmp.Equal(got, tt.want) {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
	world.Break(dnstest.Fault{Name: "b.test", Kind: dnstest.ServFail})
	failed := Lookup{Name: "example.test", Type: "MX", Status: StatusServFail, Server: firstServer, TTL: failureTTL,
		CNAMEs: aliases, Error: "SERVFAIL"}
	if _, got := newTest(t, world).look(t.Context(), "example.test", dns.TypeMX); !cmp.Equal(got, failed) {
		t.Errorf("got %+v, want %+v", got, failed)
	}
}

func TestNotADomainName(t *testing.T) {
	world := dnstest.New("")
	for _, domain := range []string{"", ".", "a..test", strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 128) + "test"} {
		if found := find(t, newTest(t, world), domain); found.Status != StatusMalformed {
			t.Errorf("%.20q: status %s, want malformed", domain, found.Status)
		}
	}
	if n := world.Count("", ""); n != 0 {
		t.Errorf("%d queries, want none", n)
	}
}

// TestIPv6WhereWanted checks that a host with an IPv4 address that suffices is
// not asked for its IPv6 addresses until they are needed.
func TestIPv6WhereWanted(t *testing.T) {
	const mx, v4, v6 = "example.test. MX 10 mx.test.\n", "mx.test. A 192.0.2.1\n", "mx.test. AAAA 2001:db8::1\n"
	suffice := func(c *Config) { c.SkipIPv6 = func(a Addr) bool { return a.IP == netip.MustParseAddr("192.0.2.1") } }
	unasked := host("mx.test", 10, StatusOK, "192.0.2.1")
	unasked.IPv6Unasked = true
	incomplete := host("mx.test", 10, StatusOK, "192.0.2.1")
	incomplete.Incomplete = true
	implicit := host("example.test", 0, StatusOK, "192.0.2.1")
	implicit.IPv6Unasked = true
	const crowd = "mx.test. A 192.0.2.2\nmx.test. A 192.0.2.3\nmx.test. A 192.0.2.4\nmx.test. A 192.0.2.5\n" + v4
	crowded := host("mx.test", 10, StatusOK, "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5")
	crowded.Omitted = 2
	for _, tt := range []struct {
		name, zone  string
		fault       dnstest.Fault
		first, then Host
		asked       int // for AAAA at first
	}{
		{"an address that suffices", mx + v4 + v6, dnstest.Fault{}, unasked, host("mx.test", 10, StatusOK, "192.0.2.1", "2001:db8::1"), 0},
		{"and no other", mx + v4, dnstest.Fault{}, unasked, host("mx.test", 10, StatusOK, "192.0.2.1"), 0},
		{"and a failure", mx + v4, dnstest.Fault{Name: "mx.test", Type: "AAAA", Kind: dnstest.ServFail}, unasked, incomplete, 0},
		{"an address that does not suffice", mx + "mx.test. A 192.0.2.2\n" + v6, dnstest.Fault{}, host("mx.test", 10, StatusOK, "192.0.2.2", "2001:db8::1"),
			host("mx.test", 10, StatusOK, "192.0.2.2", "2001:db8::1"), 1},
		{"no IPv4 address", mx + v6, dnstest.Fault{}, host("mx.test", 10, StatusOK, "2001:db8::1"), host("mx.test", 10, StatusOK, "2001:db8::1"), 1},
		{"no MX", "example.test. A 192.0.2.1\nexample.test. AAAA 2001:db8::1\n", dnstest.Fault{}, implicit,
			host("example.test", 0, StatusOK, "192.0.2.1", "2001:db8::1"), 0},
		{"an address that suffices, beyond the limit", mx + crowd + v6, dnstest.Fault{}, crowded, crowded, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			world := dnstest.New(tt.zone)
			if tt.fault.Name != "" {
				world.Break(tt.fault)
			}
			r := newTest(t, world, suffice)
			for range 2 { // from the servers, and from the cache
				found := find(t, r, "example.test")
				want := Findings{Domain: "example.test", Status: StatusOK, Implicit: tt.first.Name == "example.test", Hosts: []Host{tt.first}}
				compare(t, found, want)
				if n := world.Count(tt.first.Name, "AAAA"); n != tt.asked {
					t.Errorf("asked %d times for AAAA, want %d", n, tt.asked)
				}
			}
			before := find(t, r, "example.test")
			found, err := r.AddIPv6(t.Context(), before, tt.first.Name)
			if err != nil {
				t.Error(err)
			}
			want := Findings{Domain: "example.test", Status: StatusOK, Implicit: tt.first.Name == "example.test", Hosts: []Host{tt.then}}
			compare(t, found, want)
			if n := len(found.Lookups); n != 3 {
				t.Errorf("%d look-ups told, want 3", n)
			}
			compare(t, before, Findings{Domain: "example.test", Status: StatusOK, Implicit: want.Implicit, Hosts: []Host{tt.first}})
		})
	}
}

// TestAddIPv6OfOneHost checks that the other hosts stay as they are, and that
// addresses beyond the limit are counted once.
func TestAddIPv6OfOneHost(t *testing.T) {
	r := newTest(t, dnstest.New("example.test. MX 10 a.test.\nexample.test. MX 20 b.test.\na.test. A 9.9.9.1\nb.test. A 9.9.9.2\n"+
		"b.test. A 9.9.9.3\nb.test. A 9.9.9.4\nb.test. AAAA 2620:fe::1\nb.test. AAAA 2620:fe::2\nb.test. AAAA 2620:fe::3\n"),
		func(c *Config) { c.SkipIPv6, c.MaxAddrs = func(Addr) bool { return true }, 2 })
	a, b := host("a.test", 10, StatusOK, "9.9.9.1"), host("b.test", 20, StatusOK, "9.9.9.2", "9.9.9.3")
	a.IPv6Unasked, b.Omitted = true, 4
	found := find(t, r, "example.test")
	for range 2 {
		var err error
		if found, err = r.AddIPv6(t.Context(), found, "b.test"); err != nil {
			t.Error(err)
		}
		compare(t, found, Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{a, b}})
	}
}

func TestAddIPv6IsCancelled(t *testing.T) {
	r := newTest(t, dnstest.New("example.test. A 192.0.2.1\n"), func(c *Config) { c.SkipIPv6 = func(Addr) bool { return true } })
	found := find(t, r, "example.test")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.AddIPv6(ctx, found, "example.test"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
