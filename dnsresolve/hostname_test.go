package dnsresolve

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestNamesHost(t *testing.T) {
	label := strings.Repeat("a", maxLabel)
	longest := strings.Repeat("a.", maxHostName/2) + "a"
	tests := []struct {
		name string
		want bool
	}{
		{"mx.example.test", true},
		{"MX-1.example.test", true},
		{"_mx_1.example.test", true},
		{"-mx-.example.test", true},
		{"test", true},
		{label + ".test", true},
		{longest, true},

		{"", false},
		{".", false},
		{"mx..test", false},
		{".mx.test", false},
		{"mx.test.", false},
		{"*.example.test", false},
		{"mx/1.example.test", false},
		{"mx 1.test", false},
		{`mx\200.example.test`, false},
		{`mx\.1.test`, false},
		{"mx@example.test", false},
		{"[mx].test", false},
		{"mx:25", false},
		{"mx,1.test", false},
		{"mx`.test", false},
		{"mx{.test", false},
		{"mü.test", false},
		{"mx\x00.test", false},
		{"mx\xff.test", false},
		{label + "a.test", false},
		{longest + "a", false},
		{"192.0.2.1", false},
		{"192.0.2.x", true},
	}
	for _, tt := range tests {
		if got := (Host{Name: tt.name}).NamesHost(); got != tt.want {
			t.Errorf("%.40q: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestNamesOfNoHostAreLookedUp checks that any name that the DNS has may lead
// to a mail host: Postfix drops such a record and others do not, so only the
// DNS proves that there is none.
func TestNamesOfNoHostAreLookedUp(t *testing.T) {
	for _, name := range []string{
		`http://mx`, `http://mx.example.test`, `_mx_.example.test`, `*.example.test`, `mx/1.example.test`, `mx\200.example.test`,
		`m\000\013\010\255\ x\..test`, `a\.b.test`, `mx.example.test:25`, `10`, `192.0.2`, `192.0.2.1.example.test`, `[192.0.2.1`,
	} {
		zone := "example.test. MX 1 " + name + ".\nexample.test. MX 2 mx.test.\nmx.test. A 9.9.9.9\n"
		dead := find(t, newTest(t, dnstest.New(zone)), "example.test")
		compare(t, dead, Findings{Domain: "example.test", Status: StatusOK,
			Hosts: []Host{host(name, 1, StatusNXDomain), host("mx.test", 2, StatusOK, "9.9.9.9")}})
		if strings.Contains(name, "*") {
			continue // a wildcard of the fake server
		}
		alive := find(t, newTest(t, dnstest.New(zone+name+". A 9.9.9.8\n"), func(c *Config) { c.MaxHosts = 1 }), "example.test")
		compare(t, alive, Findings{Domain: "example.test", Status: StatusOK, Omitted: 1,
			Hosts: []Host{host(name, 1, StatusOK, "9.9.9.8")}})
	}
}

// TestAddressesAsMailHosts checks that an MX record that names an IP address
// leads there without a query, and keeps the rules for reserved addresses.
func TestAddressesAsMailHosts(t *testing.T) {
	for name, ip := range map[string]string{
		"9.9.9.9": "9.9.9.9", "127.0.0.1": "127.0.0.1", "2620:fe::9": "2620:fe::9", "2620:FE:0::9": "2620:fe::9",
		"[9.9.9.9]": "9.9.9.9", "[IPv6:2620:fe::9]": "2620:fe::9", "::ffff:127.0.0.1": "::ffff:127.0.0.1",
		`9\.9\.9\.9`: "9.9.9.9", `::ffff:127\.0\.0\.1`: "::ffff:127.0.0.1",
	} {
		world := dnstest.New("example.test. MX 1 " + name + ".\n")
		found := find(t, newTest(t, world), "example.test")
		want := host(strings.ToLower(name), 1, StatusOK, ip)
		want.Addrs[0].Reserved = Reserved(netip.MustParseAddr(ip))
		compare(t, found, Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{want}})
		if n := world.Count("", ""); n != 1 || !found.Hosts[0].NamesAddress() || found.Hosts[0].NamesHost() {
			t.Errorf("%s: %d queries, %+v", name, n, found.Hosts[0])
		}
	}
	for _, name := range []string{"", "1", "127.1", "0x7f.0.0.1", "127.0.0.01", "1.2.3.4.5", "[]", "[1.2.3.4", "fe80::1%eth0", "mx.test"} {
		if (Host{Name: name}).NamesAddress() {
			t.Errorf("%q is taken for an address", name)
		}
	}
}

// TestImplicitHostMayHaveAnyName checks that a domain is asked for its own
// addresses whatever its name is, and that a name is no address there.
func TestImplicitHostMayHaveAnyName(t *testing.T) {
	world := dnstest.New("a/b.test. A 9.9.9.9\n")
	compare(t, find(t, newTest(t, world), "a/b.test"), Findings{Domain: "a/b.test", Status: StatusOK, Implicit: true,
		Hosts: []Host{host("a/b.test", 0, StatusOK, "9.9.9.9")}})
	compare(t, find(t, newTest(t, world), "9.9.9.9"), Findings{Domain: "9.9.9.9", Status: StatusNXDomain})
}

// A name in a message may have any octets (RFC 2181 §11).
func TestUnusableNamesArePrintable(t *testing.T) {
	for _, name := range []string{"m\nx\x1b.test.", "m\xff.test.", "m\u0085\u202e.test."} {
		r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
			m := new(dns.Msg).SetReply(query)
			m.Answer = []dns.RR{&dns.MX{Hdr: dns.RR_Header{Name: query.Question[0].Name, Rrtype: dns.TypeMX, Class: dns.ClassINET}, Mx: name}}
			return m, nil
		}))
		found := find(t, r, "example.test")
		got := found.Hosts[0]
		if got.Status != StatusMalformed || !printable(got.Name) || got.Name == "" {
			t.Errorf("%.20q: %+v", name, got)
		}
	}
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}
