package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

func TestDNS(t *testing.T) {
	spec := testSpec()
	w := start(t, spec)
	first := spec.exchanges(0)[0]
	tests := []struct {
		name    string
		qtype   uint16
		rcode   int
		answers int
		first   string
	}{
		{"D0.test.", dns.TypeMX, dns.RcodeSuccess, 1, "d0.test.\t300\tIN\tMX\t10 mx1.giant0.test."},
		{"d1.test.", dns.TypeMX, dns.RcodeSuccess, 2, "d1.test.\t300\tIN\tMX\t10 mx1.giant1.test."},
		{"mx1.giant0.test.", dns.TypeA, dns.RcodeSuccess, 1, "mx1.giant0.test.\t300\tIN\tA\t" + first.ip.String()},
		{"mx1.giant0.test.", dns.TypeAAAA, dns.RcodeSuccess, 0, ""},
		{"d0.test.", dns.TypeA, dns.RcodeSuccess, 0, ""},
		{"d40.test.", dns.TypeMX, dns.RcodeNameError, 0, ""},
	}
	for _, test := range tests {
		for _, network := range []string{"udp", "tcp"} {
			client := dns.Client{Net: network}
			answer, _, err := client.Exchange(new(dns.Msg).SetQuestion(test.name, test.qtype), w.DNS())
			if err != nil {
				t.Fatal(err)
			}
			if answer.Rcode != test.rcode || len(answer.Answer) != test.answers {
				t.Errorf("%s %s: rcode %d with %d answers, want %d with %d", network, test.name, answer.Rcode, len(answer.Answer), test.rcode, test.answers)
			} else if test.answers > 0 && answer.Answer[0].String() != test.first {
				t.Errorf("%s: %q, want %q", network, answer.Answer[0], test.first)
			}
		}
	}
	want := map[string]int64{"MX": 6, "A": 4, "AAAA": 2}
	if diff := cmp.Diff(want, take(t, w).DNS); diff != "" {
		t.Error(diff)
	}
}
