package dnsresolve

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestIPv4(t *testing.T) {
	const zone = `
name.test.   60 A     192.0.2.3
name.test.   60 A     192.0.2.20
alias.test.  30 CNAME name.test.
many.test.   60 A     192.0.2.6
many.test.   60 A     192.0.2.5
many.test.   60 A     127.0.0.2
many.test.   60 A     192.0.2.4
many.test.   60 A     192.0.2.2
text.test.   60 TXT   "x"
`
	addrs := func(texts ...string) (ips []netip.Addr) {
		for _, text := range texts {
			ips = append(ips, netip.MustParseAddr(text))
		}
		return ips
	}
	tests := []struct {
		name  string
		asked string
		fault dnstest.Kind
		want  IPv4Findings
	}{
		{"found, in ascending order", "name.test", dnstest.None,
			IPv4Findings{Lookup: Lookup{Name: "name.test", Status: StatusOK, TTL: 60}, Addrs: addrs("192.0.2.3", "192.0.2.20")}},
		{"capitals", "NAME.Test", dnstest.None,
			IPv4Findings{Lookup: Lookup{Name: "name.test", Status: StatusOK, TTL: 60}, Addrs: addrs("192.0.2.3", "192.0.2.20")}},
		{"an alias", "alias.test", dnstest.None, IPv4Findings{
			Lookup: Lookup{Name: "alias.test", Status: StatusOK, TTL: 30, CNAMEs: []string{"name.test"}}, Addrs: addrs("192.0.2.3", "192.0.2.20")}},
		{"more than are kept", "many.test", dnstest.None,
			IPv4Findings{Lookup: Lookup{Name: "many.test", Status: StatusOK, TTL: 60},
				Addrs: addrs("127.0.0.2", "192.0.2.2", "192.0.2.4", "192.0.2.5"), Omitted: 1}},
		{"no such name", "nowhere.test", dnstest.None,
			IPv4Findings{Lookup: Lookup{Name: "nowhere.test", Status: StatusNXDomain, TTL: maxNegativeTTL}}},
		{"no such record", "text.test", dnstest.None,
			IPv4Findings{Lookup: Lookup{Name: "text.test", Status: StatusNoData, TTL: maxNegativeTTL}}},
		{"servfail", "name.test", dnstest.ServFail,
			IPv4Findings{Lookup: Lookup{Name: "name.test", Status: StatusServFail, TTL: failureTTL, Error: "SERVFAIL"}}},
		{"silence", "name.test", dnstest.Lose,
			IPv4Findings{Lookup: Lookup{Name: "name.test", Status: StatusTimeout, TTL: failureTTL, Error: firstServer + ": no answer in time"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(zone)
				world.Break(dnstest.Fault{Kind: tt.fault})
				got, err := newTest(t, world).IPv4(t.Context(), tt.asked)
				if err != nil {
					t.Fatal(err)
				}
				tt.want.Type = "A"
				ignoreServer := cmpopts.IgnoreFields(Lookup{}, "Server")
				if diff := cmp.Diff(tt.want, got, ignoreServer, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestIPv4OfNoDomainName(t *testing.T) {
	world := dnstest.New("")
	for _, name := range []string{"", ".", "a..test", strings.Repeat("a.", 128) + "test"} {
		got, err := newTest(t, world).IPv4(t.Context(), name)
		if err != nil || got.Status != StatusMalformed || got.Type != "A" || got.Error == "" {
			t.Errorf("%.20q: %+v (%v), want malformed", name, got, err)
		}
	}
	if n := world.Count("", ""); n != 0 {
		t.Errorf("%d queries, want none", n)
	}
}

// TestIPv4IsKept checks that the answer is shared with the search for mail
// exchangers, and cached.
func TestIPv4IsKept(t *testing.T) {
	world := dnstest.New("name.test. A 192.0.2.1\n")
	r := newTest(t, world)
	find(t, r, "name.test")
	got, err := r.IPv4(t.Context(), "name.test")
	if err != nil || !got.Cached {
		t.Errorf("%+v (%v), want an answer from the cache", got, err)
	}
	if n := world.Count("name.test", dns.TypeToString[dns.TypeA]); n != 1 {
		t.Errorf("%d queries, want 1", n)
	}
}

// TestIPv4EndsWithItsCaller checks that the end of the caller is an error.
func TestIPv4EndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New("")
		world.Break(dnstest.Fault{Kind: dnstest.Lose})
		r := newTest(t, world)
		began := time.Now()

		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, err := r.IPv4(limited, "name.test"); !errors.Is(err, context.DeadlineExceeded) || !got.Status.Temporary() {
			t.Errorf("after the deadline: %s (%v)", got.Status, err)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := r.IPv4(left, "name.test"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v, want context.Canceled", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v, want 1s", took)
		}
	})
}
