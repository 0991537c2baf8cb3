package dnstest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const zone = `
zone.test.          60 SOA ns.zone.test. hostmaster.zone.test. 1 3600 600 86400 30
mx.zone.test.       A     192.0.2.1
deep.below.test.    A     192.0.2.2
alias.test.         CNAME second.test.
second.test.        CNAME mx.zone.test.
away.test.          CNAME gone.test.
circle.test.        CNAME circle.test.
*.wild.test.        A     192.0.2.3
real.wild.test.     TXT   "not from the wildcard"
`

// ask is exchange for a simple question over UDP.
func ask(t *testing.T, s *dnstest.Server, name string, qtype uint16) string {
	t.Helper()
	return exchange(t, s, new(dns.Msg).SetQuestion(dns.Fqdn(name), qtype), "udp")
}

// send asks s with parsed messages.
func send(ctx context.Context, s *dnstest.Server, query *dns.Msg, network, server string) (*dns.Msg, error) {
	wire, err := query.Pack()
	if err != nil {
		return nil, err
	}
	answer, err := s.Exchange(ctx, wire, network, server)
	if err != nil {
		return nil, err
	}
	m := new(dns.Msg)
	return m, m.Unpack(answer)
}

// exchange returns the answer as text: the response code, the data of the
// answer section, the authority section, and irregularities.
func exchange(t *testing.T, s *dnstest.Server, query *dns.Msg, network string) string {
	t.Helper()
	m, err := send(t.Context(), s, query, network, "192.0.2.53:53")
	var broken *dns.Error
	if errors.As(err, &broken) {
		return "broken"
	}
	if err != nil {
		t.Fatal(err)
	}
	words := []string{dns.RcodeToString[m.Rcode]}
	for _, rr := range m.Answer {
		words = append(words, rr.Header().Name+strings.TrimPrefix(rr.String(), rr.Header().String()))
	}
	for _, rr := range m.Ns {
		words = append(words, dns.TypeToString[rr.Header().Rrtype]+" of "+rr.Header().Name)
	}
	if m.Truncated {
		words = append(words, "truncated")
	}
	if m.Id != query.Id {
		words = append(words, "another ID")
	}
	if len(m.Question) == 0 {
		words = append(words, "no question")
	} else if m.Question[0] != query.Question[0] {
		words = append(words, "another question")
	}
	return strings.Join(words, "; ")
}

func TestAnswers(t *testing.T) {
	const chain = "NOERROR; alias.test.second.test.; second.test.mx.zone.test."
	tests := []struct {
		name  string
		qtype uint16
		want  string
	}{
		{"mx.zone.test", dns.TypeA, "NOERROR; mx.zone.test.192.0.2.1"},
		{"MX.Zone.Test", dns.TypeA, "NOERROR; mx.zone.test.192.0.2.1"},
		{"mx.zone.test", dns.TypeMX, "NOERROR; SOA of zone.test."},
		{"no.zone.test", dns.TypeA, "NXDOMAIN; SOA of zone.test."},
		{"below.mx.zone.test", dns.TypeA, "NXDOMAIN; SOA of zone.test."},
		{"elsewhere.invalid", dns.TypeA, "NXDOMAIN; SOA of ."},
		{"below.test", dns.TypeA, "NOERROR; SOA of ."},
		{"test", dns.TypeA, "NOERROR; SOA of ."},
		{".", dns.TypeA, "NOERROR; SOA of ."},
		{"alias.test", dns.TypeA, chain + "; mx.zone.test.192.0.2.1"},
		{"alias.test", dns.TypeMX, chain + "; SOA of zone.test."},
		{"alias.test", dns.TypeCNAME, "NOERROR; alias.test.second.test."},
		{"away.test", dns.TypeA, "NXDOMAIN; away.test.gone.test.; SOA of ."},
		{"circle.test", dns.TypeA, "NOERROR; circle.test.circle.test."},
		{"any.wild.test", dns.TypeA, "NOERROR; any.wild.test.192.0.2.3"},
		{"a.b.wild.test", dns.TypeA, "NOERROR; a.b.wild.test.192.0.2.3"},
		{"any.wild.test", dns.TypeMX, "NOERROR; SOA of ."},
		{"real.wild.test", dns.TypeA, "NOERROR; SOA of ."},
		{"a.real.wild.test", dns.TypeA, "NXDOMAIN; SOA of ."},
	}
	s := dnstest.New(zone)
	for _, tt := range tests {
		if got := ask(t, s, tt.name, tt.qtype); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.name, dns.TypeToString[tt.qtype], got, tt.want)
		}
	}
}

func TestSingleAlias(t *testing.T) {
	s := dnstest.New(zone)
	s.Break(dnstest.Fault{Kind: dnstest.SingleAlias})
	if got, want := ask(t, s, "alias.test", dns.TypeA), "NOERROR; alias.test.second.test."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestZonesThatCannotBeParsed(t *testing.T) {
	for _, text := range []string{"example.test. MX", "example.test. NOSUCHTYPE x", "example.test. A 192.0.2.256", "$INCLUDE /etc/passwd"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q: no panic", text)
				}
			}()
			dnstest.New(text)
		}()
	}
}

func TestQueriesAreRecorded(t *testing.T) {
	s := dnstest.New(zone)
	plain := new(dns.Msg).SetQuestion("A.Test.", dns.TypeMX)
	extended := new(dns.Msg).SetQuestion("b.test.", dns.TypeAAAA).SetEdns0(1232, false)
	for i, query := range []*dns.Msg{plain, extended} {
		if _, err := send(t.Context(), s, query, []string{"udp", "tcp"}[i], "192.0.2.53:53"); err != nil {
			t.Fatal(err)
		}
	}
	want := []dnstest.Query{
		{Name: "a.test", Type: "MX", Network: "udp", Server: "192.0.2.53:53"},
		{Name: "b.test", Type: "AAAA", Network: "tcp", Server: "192.0.2.53:53"},
	}
	if got := s.Queries(); !slices.Equal(got, want) {
		t.Errorf("queries %+v, want %+v", got, want)
	}
	for _, tt := range []struct {
		name, qtype string
		want        int
	}{{"", "", 2}, {"a.TEST.", "", 1}, {"", "AAAA", 1}, {"a.test", "AAAA", 0}} {
		if got := s.Count(tt.name, tt.qtype); got != tt.want {
			t.Errorf("Count(%q, %q) = %d, want %d", tt.name, tt.qtype, got, tt.want)
		}
	}
}

func TestKinds(t *testing.T) {
	const right = "NOERROR; mx.zone.test.192.0.2.1"
	tests := []struct {
		kind     dnstest.Kind
		udp, tcp string
	}{
		{dnstest.None, right, right},
		{dnstest.ServFail, "SERVFAIL", "SERVFAIL"},
		{dnstest.Refused, "REFUSED", "REFUSED"},
		{dnstest.FormErr, "FORMERR; no question", "FORMERR; no question"},
		{dnstest.NXDomain, "NXDOMAIN", "NXDOMAIN"},
		{dnstest.Referral, "NOERROR; NS of .", "NOERROR; NS of ."},
		{dnstest.Truncate, "NOERROR; truncated", right},
		{dnstest.TruncateForever, "NOERROR; truncated", "NOERROR; truncated"},
		{dnstest.ForgeID, "NXDOMAIN; another ID", "NXDOMAIN; another ID"},
		{dnstest.ForgeQuestion, "NXDOMAIN; another question", "NXDOMAIN; another question"},
		{dnstest.ForgeSource, right, right},
		{dnstest.Malformed, "broken", "broken"},
		{dnstest.Oversize, right, right},
		{dnstest.ChangeCase, "NOERROR; MX.ZONE.TEST.192.0.2.1; another question", "NOERROR; MX.ZONE.TEST.192.0.2.1; another question"},
		{dnstest.DenyWithRecords, "NXDOMAIN; mx.zone.test.192.0.2.1", "NXDOMAIN; mx.zone.test.192.0.2.1"},
		{dnstest.Unfounded, "NXDOMAIN", "NXDOMAIN"},
	}
	for _, tt := range tests {
		s := dnstest.New(zone)
		s.Break(dnstest.Fault{Kind: tt.kind})
		for network, want := range map[string]string{"udp": tt.udp, "tcp": tt.tcp} {
			query := new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA).SetEdns0(1232, false)
			if got := exchange(t, s, query, network); got != want {
				t.Errorf("kind %d over %s: %s, want %s", tt.kind, network, got, want)
			}
		}
	}
}

func TestServerWithoutEDNS(t *testing.T) {
	s := dnstest.New(zone)
	s.Break(dnstest.Fault{Kind: dnstest.FormErr})
	if got, want := ask(t, s, "mx.zone.test", dns.TypeA), "NOERROR; mx.zone.test.192.0.2.1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestValidated(t *testing.T) {
	for _, validated := range []bool{false, true} {
		for _, asked := range []bool{false, true} {
			s := dnstest.New(zone)
			if validated {
				s.Break(dnstest.Fault{Kind: dnstest.Validated})
			}
			query := new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA)
			query.AuthenticatedData = asked
			m, err := send(t.Context(), s, query, "udp", "")
			if err != nil {
				t.Fatal(err)
			}
			if m.AuthenticatedData != (validated && asked) {
				t.Errorf("validated %t, asked %t: AD %t", validated, asked, m.AuthenticatedData)
			}
		}
	}
}

func TestFaultsMatch(t *testing.T) {
	const healthy, broken = "NOERROR; mx.zone.test.192.0.2.1", "SERVFAIL"
	tests := []struct {
		fault dnstest.Fault
		want  string
	}{
		{dnstest.Fault{}, broken},
		{dnstest.Fault{Name: "MX.zone.test."}, broken},
		{dnstest.Fault{Name: "zone.test"}, healthy},
		{dnstest.Fault{Type: "A"}, broken},
		{dnstest.Fault{Type: "AAAA"}, healthy},
		{dnstest.Fault{Server: "192.0.2.53:53"}, broken},
		{dnstest.Fault{Server: "192.0.2.54:53"}, healthy},
	}
	for _, tt := range tests {
		s := dnstest.New(zone)
		tt.fault.Kind = dnstest.ServFail
		s.Break(tt.fault)
		if got := ask(t, s, "mx.zone.test", dns.TypeA); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.fault, got, tt.want)
		}
	}
}

func TestTheLastFaultCountsUntilItHeals(t *testing.T) {
	s := dnstest.New(zone)
	s.Break(dnstest.Fault{Kind: dnstest.Refused, Times: 2})
	s.Break(dnstest.Fault{Kind: dnstest.ServFail, Times: 1})
	for i, want := range []string{"SERVFAIL", "REFUSED", "REFUSED", "NOERROR; mx.zone.test.192.0.2.1"} {
		if got := ask(t, s, "mx.zone.test", dns.TypeA); got != want {
			t.Errorf("query %d: %s, want %s", i, got, want)
		}
	}
}

func TestDelayAndLossInMemory(t *testing.T) {
	tests := []struct {
		fault  dnstest.Fault
		waited time.Duration
		err    error
	}{
		{dnstest.Fault{Delay: time.Minute}, time.Minute, nil},
		{dnstest.Fault{Delay: 3 * time.Hour}, time.Hour, context.DeadlineExceeded},
		{dnstest.Fault{Kind: dnstest.Lose}, time.Hour, context.DeadlineExceeded},
		{dnstest.Fault{Kind: dnstest.Unreachable}, 0, syscall.ECONNREFUSED},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := dnstest.New(zone)
			s.Break(tt.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			start := time.Now()
			_, err := send(ctx, s, new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA), "udp", "")
			if waited := time.Since(start); waited != tt.waited || !errors.Is(err, tt.err) {
				t.Errorf("%+v: %v after %s, want %v after %s", tt.fault, err, waited, tt.err, tt.waited)
			}
		})
	}
}

func TestLargeAnswersAreTruncated(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "many.test. MX %d mail-host-%d.test.\n", i, i)
	}
	s := dnstest.New(text.String())
	for _, tt := range []struct {
		network string
		edns    uint16
		size    int
		cut     bool
	}{{"udp", 0, 512, true}, {"udp", 1000, 1000, true}, {"udp", 65535, 1232, true}, {"tcp", 0, dns.MaxMsgSize, false}} {
		query := new(dns.Msg).SetQuestion("many.test.", dns.TypeMX)
		if tt.edns > 0 {
			query.SetEdns0(tt.edns, false)
		}
		m, err := send(t.Context(), s, query, tt.network, "")
		if err != nil {
			t.Fatal(err)
		}
		m.Compress = true
		if m.Truncated != tt.cut || m.Len() > tt.size || !tt.cut && len(m.Answer) != 100 {
			t.Errorf("%+v: %d octets, %d records, truncated %t", tt, m.Len(), len(m.Answer), m.Truncated)
		}
	}
}

func TestListening(t *testing.T) {
	s := dnstest.New(zone)
	s.Close()
	addr, err := s.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	if _, err := s.Start(); err == nil {
		t.Error("started twice")
	}
	for _, network := range []string{"udp", "tcp"} {
		client := &dns.Client{Net: network}
		m, _, err := client.ExchangeContext(t.Context(), new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA), addr)
		if err != nil || len(m.Answer) != 1 {
			t.Errorf("%s: %v, %v", network, m, err)
		}
	}
	if q := s.Queries()[1]; q.Network != "tcp" || q.Server != addr {
		t.Errorf("query %+v", q)
	}
	s.Close()
	s.Close()
}

func TestBareHeader(t *testing.T) {
	s := dnstest.New(zone)
	addr, err := s.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer s.Close()
	conn, err := net.Dial("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte{0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}); err != nil { // QDCOUNT 1 and no question
		t.Fatal(err)
	}
	m, err := dns.ExchangeContext(t.Context(), new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA), addr)
	if err != nil || len(m.Answer) != 1 {
		t.Errorf("afterwards: %v, %v", m, err)
	}
}

func TestCloseEndsDelays(t *testing.T) {
	s := dnstest.New(zone)
	s.Break(dnstest.Fault{Delay: time.Hour})
	addr, err := s.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client := &dns.Client{Net: "tcp", Timeout: time.Hour}
		_, _, _ = client.ExchangeContext(ctx, new(dns.Msg).SetQuestion("mx.zone.test.", dns.TypeA), addr)
	}()
	for s.Count("", "") == 0 {
		continue
	}
	s.Close()
	cancel()
	<-ended
}

// TestAdd checks that what is added belongs to the same world.
func TestAdd(t *testing.T) {
	s := dnstest.New("example.test. MX 10 mx.example.test.\n")
	lookUp := func() (found int) {
		query := new(dns.Msg).SetQuestion("mx.example.test.", dns.TypeA)
		answer, err := send(t.Context(), s, query, "udp", "192.0.2.53:53")
		if err != nil {
			t.Fatal(err)
		}
		return len(answer.Answer)
	}
	before := lookUp()
	s.Add("mx.example.test. A 192.0.2.1\n")
	s.Add("mx.example.test. A 192.0.2.2\n")
	if after := lookUp(); before != 0 || after != 2 {
		t.Errorf("%d addresses before, %d after", before, after)
	}
	defer func() {
		if recover() == nil {
			t.Error("nonsense was added")
		}
	}()
	s.Add("example.test. MX")
}

// TestManyQueries: the last are remembered, and all are counted.
func TestManyQueries(t *testing.T) {
	server := dnstest.New("a.test. A 192.0.2.1")
	server.Break(dnstest.Fault{Kind: dnstest.ServFail, Share: 0.5})
	failed := 0
	for i := range 10_100 {
		query, err := new(dns.Msg).SetQuestion(fmt.Sprintf("q%d.test.", i%7), dns.TypeA).Pack()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Exchange(t.Context(), query, "udp", "it")
		if err != nil {
			t.Fatal(err)
		}
		if answer[3]&0xf == dns.RcodeServerFailure {
			failed++
		}
	}
	if n, all, one := len(server.Queries()), server.Count("", "A"), server.Count("q6.test", ""); n != 10_000 || all != 10_100 || one != 1442 {
		t.Errorf("%d remembered, %d counted, %d of one name", n, all, one)
	}
	if failed < 4_500 || failed > 5_600 {
		t.Errorf("%d of 10,100 failed", failed)
	}
}

func TestStartAt(t *testing.T) {
	server := dnstest.New("a.test. A 192.0.2.1")
	addr, err := server.StartAt("127.0.0.3")
	if err != nil {
		t.Skip(err) // some systems have no other loopback address
	}
	defer server.Close()
	answer, _, err := new(dns.Client).Exchange(new(dns.Msg).SetQuestion("a.test.", dns.TypeA), addr)
	if err != nil || len(answer.Answer) != 1 || !strings.HasPrefix(addr, "127.0.0.3:") {
		t.Errorf("%s: %v, %v", addr, answer, err)
	}
}
