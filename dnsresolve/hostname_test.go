package dnsresolve

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestIsHostName(t *testing.T) {
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
	}
	for _, tt := range tests {
		if got := isHostName(tt.name); got != tt.want {
			t.Errorf("%.40q: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestUnusableNamesAreNotLookedUp checks that an invalid name is reported, not
// looked up, and does not stop the search.
func TestUnusableNamesAreNotLookedUp(t *testing.T) {
	for _, name := range []string{`*.example.test`, `mx/1.example.test`, `mx\200.example.test`, `m\000\013\010\255\ x\..test`, `a\.b.test`} {
		world := dnstest.New("*.test. A 9.9.9.9\nexample.test. MX 1 " + name + ".\nexample.test. MX 2 mx.test.\nmx.test. A 9.9.9.9\n")
		found := find(t, newTest(t, world, func(c *Config) { c.MaxHosts = 1 }), "example.test")
		compare(t, found, Findings{Domain: "example.test", Status: StatusOK,
			Hosts: []Host{host(name, 1, StatusMalformed), host("mx.test", 2, StatusOK, "9.9.9.9")}})
		if n := world.Count("", ""); n != 3 { // MX, and A and AAAA of mx.test
			t.Errorf("%s: %d queries, want 3", name, n)
		}
	}
}

func TestImplicitHostMustBeAHostName(t *testing.T) {
	world := dnstest.New("*.test. A 9.9.9.9\n")
	compare(t, find(t, newTest(t, world), "a/b.test"), Findings{Domain: "a/b.test", Status: StatusMalformed})
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
		if got.Status != StatusMalformed || !printable(got.Name) || got.Name == "" || len(got.Name) > maxErrorText {
			t.Errorf("%.20q: %+v", name, got)
		}
		if len(found.Lookups) != 1 {
			t.Errorf("%.20q: look-ups %+v", name, found.Lookups)
		}
	}
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}
