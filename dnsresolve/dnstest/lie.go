package dnstest

import (
	"net"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// lyingAddress is what [Strangers] says that everybody's address is.
const lyingAddress = "192.0.2.66"

// padding is 20 kB of irrelevant records.
func padding() []dns.RR {
	var records []dns.RR
	for range 100 {
		text := []string{strings.Repeat("x", 200)}
		records = append(records, &dns.TXT{Hdr: header("padding.test.", dns.TypeTXT), Txt: text})
	}
	return records
}

// inUpperCase writes the names of a message as a server does that does not
// preserve the case of a question.
func inUpperCase(m *dns.Msg) *dns.Msg {
	for i := range m.Question {
		m.Question[i].Name = strings.ToUpper(m.Question[i].Name)
	}
	for _, rr := range m.Answer {
		rr.Header().Name = strings.ToUpper(rr.Header().Name)
		switch rr := rr.(type) {
		case *dns.MX:
			rr.Mx = strings.ToUpper(rr.Mx)
		case *dns.CNAME:
			rr.Target = strings.ToUpper(rr.Target)
		}
	}
	return m
}

// withStrangers adds records of other names around those of the answer, and
// false addresses of the mail hosts after them.
func withStrangers(m *dns.Msg) *dns.Msg {
	lies := func(name string) []dns.RR {
		return []dns.RR{
			&dns.A{Hdr: header(name, dns.TypeA), A: net.ParseIP(lyingAddress)},
			&dns.AAAA{Hdr: header(name, dns.TypeAAAA), AAAA: net.ParseIP("2001:db8::66")},
			&dns.MX{Hdr: header(name, dns.TypeMX), Preference: 0, Mx: "stranger.test."},
		}
	}
	for _, rr := range m.Answer {
		if mx, ok := rr.(*dns.MX); ok {
			m.Extra = append(m.Extra, lies(mx.Mx)...)
		}
	}
	m.Extra = append(m.Extra, lies(m.Question[0].Name)...)
	m.Answer = slices.Concat(lies("stranger.test."), m.Answer, lies("test."))
	return m
}
