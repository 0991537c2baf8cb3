package dnsresolve

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// zoneOf gives name the addresses, in their order.
func zoneOf(name string, ips ...string) string {
	var zone strings.Builder
	for _, ip := range ips {
		qtype := " A "
		if strings.Contains(ip, ":") {
			qtype = " AAAA "
		}
		zone.WriteString(name + qtype + ip + "\n")
	}
	return zone.String()
}

func TestMaxAddrs(t *testing.T) {
	tests := []struct {
		name        string
		addrs, kept []string
	}{
		{"room for all", []string{"127.0.0.1", "9.9.9.9", "2620:fe::fe"}, []string{"127.0.0.1", "9.9.9.9", "2620:fe::fe"}},
		{"IPv4 first", []string{"2620:fe::fe", "9.9.9.9", "2620:fe::9", "9.9.9.10"}, []string{"9.9.9.9", "9.9.9.10", "2620:fe::fe"}},
		{"public ones only", []string{"9.9.9.9", "9.9.9.10", "9.9.9.11", "9.9.9.12"}, []string{"9.9.9.9", "9.9.9.10", "9.9.9.11"}},
		{"reserved ones only", []string{"10.0.0.1", "10.0.0.2", "::1", "::2"}, []string{"10.0.0.1", "10.0.0.2", "::1"}},
		{"reserved IPv4, public IPv6", []string{"127.0.0.1", "127.0.0.2", "127.0.0.3", "2620:fe::fe"},
			[]string{"127.0.0.1", "127.0.0.2", "2620:fe::fe"}},
		{"public last", []string{"127.0.0.1", "127.0.0.2", "127.0.0.3", "9.9.9.9"}, []string{"127.0.0.1", "127.0.0.2", "9.9.9.9"}},
		{"public ones take all the room", []string{"127.0.0.1", "9.9.9.9", "9.9.9.10", "2620:fe::fe"},
			[]string{"9.9.9.9", "9.9.9.10", "2620:fe::fe"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			world := dnstest.New("example.test. MX 10 mx.test.\n" + zoneOf("mx.test.", tt.addrs...) + zoneOf("bare.test.", tt.addrs...))
			r := newTest(t, world, func(c *Config) { c.MaxAddrs = 3 })
			explicit, implicit := host("mx.test", 10, StatusOK, tt.kept...), host("bare.test", 0, StatusOK, tt.kept...)
			explicit.Omitted = len(tt.addrs) - len(tt.kept)
			implicit.Omitted = explicit.Omitted
			compare(t, find(t, r, "example.test"), Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{explicit}})
			compare(t, find(t, r, "bare.test"), Findings{Domain: "bare.test", Status: StatusOK, Implicit: true, Hosts: []Host{implicit}})
		})
	}
}

// What one of the look-ups gave may not be all: the other failed.
func TestHalfOfTheAddresses(t *testing.T) {
	const zone = "example.test. MX 10 mx.test.\nmx.test. AAAA ::1\nbare.test. AAAA ::1\nfour.test. A 127.0.0.1\n"
	tests := []struct {
		domain, failing string
		kind            dnstest.Kind
		want            Host
		incomplete      bool
	}{
		{"example.test", "A", dnstest.ServFail, host("mx.test", 10, StatusOK, "::1"), true},
		{"example.test", "A", dnstest.Lose, host("mx.test", 10, StatusOK, "::1"), true},
		{"example.test", "A", dnstest.NXDomain, host("mx.test", 10, StatusOK, "::1"), false},
		{"example.test", "AAAA", dnstest.ServFail, host("mx.test", 10, StatusServFail), false},
		{"bare.test", "A", dnstest.Refused, host("bare.test", 0, StatusOK, "::1"), true},
		{"bare.test", "A", dnstest.Malformed, host("bare.test", 0, StatusOK, "::1"), true},
		{"four.test", "AAAA", dnstest.Unreachable, host("four.test", 0, StatusOK, "127.0.0.1"), true},
		{"four.test", "TXT", dnstest.ServFail, host("four.test", 0, StatusOK, "127.0.0.1"), false},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			world := dnstest.New(zone)
			world.Break(dnstest.Fault{Type: tt.failing, Kind: tt.kind})
			tt.want.Incomplete = tt.incomplete
			compare(t, find(t, newTest(t, world), tt.domain), Findings{
				Domain: tt.domain, Status: StatusOK, Implicit: tt.domain != "example.test", Hosts: []Host{tt.want},
			})
		})
	}
}
