package rhsbl

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/lists"
)

// listedIn is the answer of a zone that has example.com.
func listedIn(zone string, codes ...string) Answer {
	answer := Answer{Zone: zone, Domain: "example.com", Status: dnsresolve.StatusOK}
	for _, code := range codes {
		answer.Addrs = append(answer.Addrs, netip.MustParseAddr(code))
	}
	return answer
}

func TestListings(t *testing.T) {
	tests := []struct {
		name   string
		answer Answer
		code   string // of the listing; empty: not listed
		fault  bool
	}{
		{"DBL", listedIn("z", "127.0.1.2"), "127.0.1.2", false},
		{"bits", listedIn("z", "127.0.0.64"), "127.0.0.64", false},
		{"several codes", listedIn("z", "127.0.1.2", "127.0.1.4"), "127.0.1.2", false},
		{"beside the faults", listedIn("z", "127.255.254.255"), "127.255.254.255", false},
		{"open resolver", listedIn("z", "127.255.255.254"), "", true},
		{"too many queries", listedIn("z", "127.255.255.255"), "", true},
		{"typing error", listedIn("z", "127.255.255.252"), "", true},
		{"a fault beside a code", listedIn("z", "127.0.1.2", "127.255.255.254"), "", true},
		{"refused", listedIn("z", "127.0.0.1"), "", true},
		{"made up", listedIn("z", "203.0.113.7"), "", true},
		{"made up, beside a code", listedIn("z", "127.0.1.2", "203.0.113.7"), "", true},
		{"just below", listedIn("z", "126.255.255.255"), "", true},
		{"just above", listedIn("z", "128.0.0.0"), "", true},
		{"IPv6 loopback", listedIn("z", "::1"), "", true},
		{"not listed", Answer{Status: dnsresolve.StatusNXDomain}, "", false},
		{"no address", Answer{Status: dnsresolve.StatusNoData}, "", false},
		{"silence", Answer{Status: dnsresolve.StatusTimeout}, "", true},
		{"servfail", Answer{Status: dnsresolve.StatusServFail}, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want []lists.Match
			if tt.code != "" {
				want = []lists.Match{{List: Kind, Entry: "example.com", Source: "z", Group: tt.code}}
			}
			if diff := cmp.Diff(want, Listings([]Answer{tt.answer})); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			if fault := tt.answer.fault(); (fault != "") != tt.fault {
				t.Errorf("fault %q, want one: %v", fault, tt.fault)
			}
		})
	}
}
