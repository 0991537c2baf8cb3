package dnsresolve

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestAliasAttacks(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "n%d.test. CNAME n%d.test.\n", i, i+1)
		}
		return b.String() + fmt.Sprintf("n%d.test. MX 0 .\n", n)
	}
	tests := []struct {
		name, zone string
		status     Status
		explain    string
	}{
		{"longest chain", chain(maxAliases), StatusOK, ""},
		{"chain too long", chain(maxAliases + 1), StatusMalformed, errTooLong.Error()},
		{"chain of 50", chain(50), StatusMalformed, errTooLong.Error()},
		{"alias of itself", "n0.test. CNAME n0.test.\n", StatusMalformed, errCircle.Error()},
		{"circle", "n0.test. CNAME n1.test.\nn1.test. CNAME n0.test.\n", StatusMalformed, errCircle.Error()},
		{"circle further on", "n0.test. CNAME n1.test.\nn1.test. CNAME n2.test.\nn2.test. CNAME N1.test.\n", StatusMalformed, errCircle.Error()},
	}
	for _, single := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, one at a time %t", tt.name, single), func(t *testing.T) {
				world := dnstest.New(tt.zone)
				if single {
					world.Break(dnstest.Fault{Kind: dnstest.SingleAlias})
				}
				_, evidence := newTest(t, world).look(t.Context(), "n0.test", dns.TypeMX)
				if evidence.Status != tt.status || evidence.Error != tt.explain {
					t.Errorf("%s: %q, want %s: %q", evidence.Status, evidence.Error, tt.status, tt.explain)
				}
				if n := world.Count("", ""); n > maxAliases+1 {
					t.Errorf("%d queries", n)
				}
			})
		}
	}
}

func TestAliasesWithoutEnd(t *testing.T) {
	asked := 0
	endless := exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
		asked++
		alias := fmt.Sprintf("%s CNAME n%d.test.", query.Question[0].Name, asked)
		return answerTo(t, query, dns.RcodeSuccess, alias), nil
	})
	if found := find(t, newTest(t, endless), "example.test"); found.Status != StatusMalformed || asked > maxAliases+1 {
		t.Errorf("%s after %d queries", found.Status, asked)
	}
}

// answerTo is a resolver's answer with records, in the format of zone files, in
// its answer section.
func answerTo(t *testing.T, query *dns.Msg, rcode int, records ...string) *dns.Msg {
	m := new(dns.Msg).SetRcode(query, rcode)
	m.RecursionAvailable = true
	if rcode > 0xF {
		m.SetEdns0(udpSize, false) // which has the upper bits (RFC 6891 §6.1.3)
	}
	for _, text := range records {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		m.Answer = append(m.Answer, rr)
	}
	return m
}

func TestAnswersThatMayNotBeBelieved(t *testing.T) {
	const name = "example.test."
	tests := []struct {
		name    string
		rcode   int
		answer  []string
		status  Status
		explain string
	}{
		{"records of another name", dns.RcodeSuccess, []string{"evil.test. MX 0 ."}, StatusMalformed, errUnrelated.Error()},
		{"records of a name above", dns.RcodeSuccess, []string{"test. MX 0 ."}, StatusMalformed, errUnrelated.Error()},
		{"records of another class", dns.RcodeSuccess, []string{name + " CH MX 0 ."}, StatusMalformed, errUnrelated.Error()},
		{"records of another type", dns.RcodeSuccess, []string{name + " A 192.0.2.1"}, StatusMalformed, errUnrelated.Error()},
		{"records and a denial", dns.RcodeNameError, []string{name + " MX 10 mx.test."}, StatusMalformed, errDenies.Error()},
		{"an unknown response code", 23, nil, StatusMalformed, "BADCOOKIE"},
		{"a response code without a name", 3000, nil, StatusMalformed, "RCODE3000"},
		{"not authoritative", dns.RcodeNotAuth, nil, StatusMalformed, "NOTAUTH"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
				return answerTo(t, query, tt.rcode, tt.answer...), nil
			}))
			found := find(t, r, "example.test")
			if found.Status != tt.status || found.Lookups[0].Error != tt.explain {
				t.Errorf("%s: %q, want %s: %q", found.Status, found.Lookups[0].Error, tt.status, tt.explain)
			}
		})
	}
}

// silent is an Exchanger with a fault: it returns neither an answer nor an
// error.
type silent struct{ answer []byte }

func (s silent) Exchange(context.Context, []byte, string, string) ([]byte, error) {
	return s.answer, nil
}

// TestExchangerWithoutAnswer checks that no answer is no denial, and that the
// fault is named.
func TestExchangerWithoutAnswer(t *testing.T) {
	for _, answer := range [][]byte{nil, {}} {
		found := find(t, newTest(t, silent{answer}), "example.test")
		if found.Status != StatusMalformed || found.Lookups[0].Error != errNoMessage.Error() {
			t.Errorf("%s: %q", found.Status, found.Lookups[0].Error)
		}
	}
}

// TestEmptyAnswers checks that an empty answer is a denial only if the server
// is recursive or authoritative.
func TestEmptyAnswers(t *testing.T) {
	soa := []dns.RR{&dns.SOA{Hdr: dns.RR_Header{Name: "test.", Rrtype: dns.TypeSOA, Class: dns.ClassINET}, Ns: "ns.test.", Mbox: "a.test."}}
	ns := []dns.RR{&dns.NS{Hdr: dns.RR_Header{Name: "test.", Rrtype: dns.TypeNS, Class: dns.ClassINET}, Ns: "ns.test."}}
	tests := []struct {
		name                     string
		recursive, authoritative bool
		authority                []dns.RR
		status                   Status
	}{
		{"from a recursive server", true, false, nil, StatusNoData},
		{"from an authoritative server", false, true, nil, StatusNoData},
		{"with a SOA", false, false, soa, StatusNoData},
		{"with a SOA and name servers", true, false, append(ns, soa...), StatusNoData},
		{"with name servers", true, false, ns, StatusRefused},
		{"from a server that is neither", false, false, nil, StatusRefused},
	}
	for _, tt := range tests {
		m := new(dns.Msg).SetReply(newQuery("example.test.", dns.TypeMX))
		m.RecursionAvailable, m.Authoritative, m.Ns = tt.recursive, tt.authoritative, tt.authority
		if a, _ := read(m, "example.test.", dns.TypeMX, nil); a.status != tt.status {
			t.Errorf("%s: %s, want %s", tt.name, a.status, tt.status)
		}
	}
}

func TestUnrelatedRecordsAreNotTaken(t *testing.T) {
	r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
		name := query.Question[0].Name
		return answerTo(t, query, dns.RcodeSuccess, "evil.test. MX 1 evil.test.", "evil.test. A 192.0.2.66", "evil.test. AAAA 2001:db8::66",
			name+" MX 10 "+name, name+" A 192.0.2.1", name+" AAAA 2001:db8::1"), nil
	}))
	compare(t, find(t, r, "example.test"), Findings{
		Domain: "example.test", Status: StatusOK, Hosts: []Host{host("example.test", 10, StatusOK, "192.0.2.1", "2001:db8::1")},
	})
}

// Records with an RDLENGTH of zero reach us as records without data.
func TestRecordsWithoutData(t *testing.T) {
	for _, qtype := range []uint16{dns.TypeMX, dns.TypeA, dns.TypeAAAA} {
		query := newQuery("example.test.", qtype)
		m := new(dns.Msg).SetReply(query)
		m.Answer = []dns.RR{&dns.RFC3597{Hdr: dns.RR_Header{Name: "example.test.", Rrtype: qtype, Class: dns.ClassINET}}}
		wire, err := m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := unpack(wire)
		if err != nil {
			t.Fatal(err)
		}
		if a, _ := read(unpacked, "example.test.", qtype, nil); a.status != StatusMalformed || a.explain != errNoData.Error() {
			t.Errorf("%s: %s: %q, want malformed", dns.TypeToString[qtype], a.status, a.explain)
		}
	}
}

func TestThousandsOfMailExchangers(t *testing.T) {
	const many = 2000
	var zone strings.Builder
	for i := range many {
		fmt.Fprintf(&zone, "example.test. MX %d mx%d.test.\nmx%d.test. A 9.9.9.9\n", i, i, i)
	}
	world := dnstest.New(zone.String())
	found := find(t, newTest(t, world), "example.test")
	if len(found.Hosts) != defaultMaxHosts || found.Omitted != many-defaultMaxHosts {
		t.Errorf("%d hosts, %d omitted", len(found.Hosts), found.Omitted)
	}
	if n := world.Count("", ""); n != 2+2*defaultMaxHosts { // MX over UDP and over TCP
		t.Errorf("%d queries", n)
	}
}

// TestMoreMailExchangersThanFit checks that more records than a message has
// room for are no answer, and cost two queries.
func TestMoreMailExchangersThanFit(t *testing.T) {
	var zone strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&zone, "example.test. MX %d mx%d.test.\n", i, i)
	}
	world := dnstest.New(zone.String())
	found := find(t, newTest(t, world), "example.test")
	if found.Status != StatusMalformed || found.Lookups[0].Error != errTruncated.Error() || world.Count("", "") != 2 {
		t.Errorf("%s: %s after %d queries", found.Status, found.Lookups[0].Error, world.Count("", ""))
	}
}

// TestAdditionalAddressesAreNotBelieved checks that addresses are taken only
// from the answer to a query for them: addresses beside an MX answer were not
// verified by the resolver.
func TestAdditionalAddressesAreNotBelieved(t *testing.T) {
	world := dnstest.New("example.test. MX 10 mx.test.\nmx.test. A 9.9.9.9\nbare.test. MX 10 gone.test.\nnone.test. TXT \"x\"\n")
	world.Break(dnstest.Fault{Type: "MX", Kind: dnstest.Strangers})
	for domain, want := range map[string]Host{
		"example.test": host("mx.test", 10, StatusOK, "9.9.9.9"),
		"bare.test":    host("gone.test", 10, StatusNXDomain),
	} {
		compare(t, find(t, newTest(t, world), domain), Findings{Domain: domain, Status: StatusOK, Hosts: []Host{want}})
	}
	if found := find(t, newTest(t, world), "none.test"); len(found.Hosts) > 0 {
		t.Errorf("none.test has %+v", found.Hosts)
	}
}

func TestExplanationsAreCleaned(t *testing.T) {
	r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
		m := answerTo(t, query, dns.RcodeServerFailure)
		m.SetEdns0(udpSize, false)
		m.IsEdns0().Option = []dns.EDNS0{&dns.EDNS0_EDE{InfoCode: dns.ExtendedErrorCodeDNSBogus,
			ExtraText: "no\r\nSignature \x1b[31m\xff" + strings.Repeat("ü", 200)}}
		return m, nil
	}))
	got := find(t, r, "example.test").Lookups[0].Error
	if !strings.HasPrefix(got, "SERVFAIL: DNSSEC Bogus: no??Signature ?[31m?ü") || len(got) > maxErrorText || !utf8.ValidString(got) {
		t.Errorf("explanation of %d octets: %q", len(got), got)
	}
}
