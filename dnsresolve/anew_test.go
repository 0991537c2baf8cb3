package dnsresolve

import (
	"context"
	"testing"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// TestAnew checks that nothing remembered counts, each turn begins with another
// server, and the new answer is remembered.
func TestAnew(t *testing.T) {
	world := dnstest.New("example.test. MX 10 mx.test.\nmx.test. A 9.9.9.9\n")
	world.Break(dnstest.Fault{Name: "example.test", Kind: dnstest.NXDomain, Times: 3})
	r := newTest(t, world, twoServers)
	if found := find(t, r, "example.test"); found.Status != StatusNXDomain {
		t.Fatalf("status %s", found.Status)
	}
	want := Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{host("mx.test", 10, StatusOK, "9.9.9.9")}}
	found, err := r.Anew(1).MailHosts(t.Context(), "example.test")
	if err != nil || found.Lookups[0].Server != secondServer || found.Lookups[0].Cached {
		t.Errorf("%v; look-up %+v, want one of the second server", err, found.Lookups[0])
	}
	compare(t, found, want)
	compare(t, find(t, r, "example.test"), want)
	found, err = r.Anew(2).MailHosts(t.Context(), "example.test")
	if err != nil || found.Lookups[0].Server != firstServer || found.Lookups[0].Cached {
		t.Errorf("%v; look-up %+v, want one of the first server", err, found.Lookups[0])
	}
}

func TestMX(t *testing.T) {
	world := dnstest.New("two.test. MX 10 a.test.\ntwo.test. MX 20 b.test.\nnull.test. MX 0 .\nbare.test. A 9.9.9.9\n")
	r := newTest(t, world)
	for name, want := range map[string]struct {
		status Status
		hosts  int
	}{"two.test": {StatusOK, 2}, "null.test": {StatusOK, 0}, "bare.test": {StatusNoData, 0}, "none.test": {StatusNXDomain, 0}, "": {StatusMalformed, 0}} {
		if l, hosts := r.MX(context.Background(), name); l.Status != want.status || hosts != want.hosts {
			t.Errorf("%q: %s with %d hosts, want %s with %d", name, l.Status, hosts, want.status, want.hosts)
		}
	}
}

// TestFilteredAnswers checks that an answer which the resolver marks as its own
// policy is not taken for the domain's.
func TestFilteredAnswers(t *testing.T) {
	for code, want := range map[uint16]Status{
		dns.ExtendedErrorCodeForgedAnswer: StatusRefused, dns.ExtendedErrorCodeBlocked: StatusRefused, dns.ExtendedErrorCodeCensored: StatusRefused,
		dns.ExtendedErrorCodeFiltered: StatusRefused, dns.ExtendedErrorCodeProhibited: StatusRefused,
		dns.ExtendedErrorCodeStaleNXDOMAINAnswer: StatusNXDomain, dns.ExtendedErrorCodeOther: StatusNXDomain,
	} {
		r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
			m := answerTo(t, query, dns.RcodeNameError)
			m.RecursionAvailable = true
			m.SetEdns0(udpSize, false)
			m.IsEdns0().Option = []dns.EDNS0{&dns.EDNS0_EDE{InfoCode: code}}
			return m, nil
		}))
		if found := find(t, r, "example.test"); found.Status != want {
			t.Errorf("EDE %d: %s, want %s", code, found.Status, want)
		}
	}
}
