package dnsresolve

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// FuzzAnswer answers with arbitrary octets. The findings must be bounded and
// consistent, and survive JSON.
func FuzzAnswer(f *testing.F) {
	world := dnstest.New("example.test. CNAME www.test.\nwww.test. MX 10 mx.test.\nmx.test. A 192.0.2.1\nmx.test. AAAA 2001:db8::1\n" +
		"null.test. MX 0 .\ntext.test. TXT \"x\"\n")
	for _, name := range []string{"example.test.", "mx.test.", "null.test.", "text.test.", "gone.test."} {
		for _, qtype := range []uint16{dns.TypeMX, dns.TypeA, dns.TypeAAAA} {
			query, err := newQuery(name, qtype).Pack()
			if err != nil {
				f.Fatal(err)
			}
			wire, err := world.Exchange(context.Background(), query, "udp", firstServer)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(wire)
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := newTest(t, exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
			m, err := unpack(wire)
			if err != nil {
				return nil, err
			}
			m.Id, m.Response, m.Opcode, m.Truncated = query.Id, true, dns.OpcodeQuery, false
			m.Question = query.Question
			return m, nil
		}), noCache)
		check(t, find(t, r, "example.test"))
	})
}

func check(t *testing.T, found Findings) {
	t.Helper()
	if found.Status == "" || len(found.Hosts) > maxDeadHosts || len(found.Lookups) > 1+2*maxDeadHosts || found.Omitted < 0 {
		t.Errorf("findings %+v", found)
	}
	if ok := found.NullMX || len(found.Hosts) > 0; ok != (found.Status == StatusOK) {
		t.Errorf("status %s with %d hosts, null MX %t", found.Status, len(found.Hosts), found.NullMX)
	}
	for _, h := range found.Hosts {
		if (h.Status == StatusOK) != (len(h.Addrs) > 0) || len(h.Addrs) > defaultMaxAddrs || h.Name == "" {
			t.Errorf("host %+v", h)
		}
		if !printable(h.Name) || h.NamesAddress() && h.Status != StatusOK || h.Incomplete && len(h.Addrs) == 0 {
			t.Errorf("host %+v", h)
		}
	}
	for _, l := range found.Lookups {
		if l.TTL > maxTTL || len(l.CNAMEs) > maxAliases || len(l.Error) > maxErrorText || !utf8.ValidString(l.Error) {
			t.Errorf("look-up %+v", l)
		}
	}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	var again Findings
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(found, again, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b Addr) bool { return a == b })); diff != "" {
		t.Errorf("JSON (-before +after):\n%s", diff)
	}
}
