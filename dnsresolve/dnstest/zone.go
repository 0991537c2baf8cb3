package dnstest

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// defaultTTL is the TTL in seconds of records whose line has none, and of
// denials.
const defaultTTL = 300

// zone is the whole world that a Server knows. It is not changed once parsed.
type zone struct {
	records map[string][]dns.RR // by canonical owner name
	exists  map[string]bool     // every owner and all names above it
}

func parseZone(text string) (*zone, error) {
	z := &zone{records: map[string][]dns.RR{}, exists: map[string]bool{".": true}}
	parser := dns.NewZoneParser(strings.NewReader(text), ".", "")
	parser.SetDefaultTTL(defaultTTL)
	for rr, ok := parser.Next(); ok; rr, ok = parser.Next() {
		z.add(rr)
	}
	if err := parser.Err(); err != nil {
		return nil, fmt.Errorf("dnstest: zone: %w", err)
	}
	return z, nil
}

func (z *zone) add(rr dns.RR) {
	owner := dns.CanonicalName(rr.Header().Name)
	z.records[owner] = append(z.records[owner], rr)
	for name := owner; name != "."; name = parent(name) {
		z.exists[name] = true
	}
}

// resolve answers a question: the response code, the answer section and the
// authority section.
func (z *zone) resolve(q dns.Question, followAliases bool) (rcode int, answer, authority []dns.RR) {
	name := dns.CanonicalName(q.Name)
	for visited := map[string]bool{}; !visited[name]; {
		visited[name] = true
		records, found := z.at(name)
		if !found {
			return dns.RcodeNameError, answer, z.soa(name)
		}
		matching := ofType(records, q.Qtype)
		alias := ofType(records, dns.TypeCNAME)
		if len(matching) > 0 {
			return dns.RcodeSuccess, append(answer, matching...), nil
		}
		if len(alias) == 0 {
			return dns.RcodeSuccess, answer, z.soa(name)
		}
		answer = append(answer, alias[0])
		if !followAliases {
			break
		}
		name = dns.CanonicalName(alias[0].(*dns.CNAME).Target)
	}
	return dns.RcodeSuccess, answer, nil
}

// at returns the records of name, taken from a wildcard where RFC 4592 §3.3.1
// says so, and whether name exists at all.
func (z *zone) at(name string) ([]dns.RR, bool) {
	if z.exists[name] {
		return z.records[name], true
	}
	encloser := parent(name)
	for !z.exists[encloser] {
		encloser = parent(encloser)
	}
	wild, found := z.records[strings.TrimSuffix("*."+encloser, ".")+"."]
	if !found {
		return nil, false
	}
	records := make([]dns.RR, len(wild))
	for i, rr := range wild {
		records[i] = dns.Copy(rr)
		records[i].Header().Name = name
	}
	return records, true
}

// soa returns the start of authority nearest above name: the one in the zone
// text, or one for the root.
func (z *zone) soa(name string) []dns.RR {
	for ; ; name = parent(name) {
		if soa := ofType(z.records[name], dns.TypeSOA); len(soa) > 0 {
			return soa
		}
		if name == "." {
			break
		}
	}
	return []dns.RR{&dns.SOA{
		Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: defaultTTL},
		Ns:  "ns.test.", Mbox: "hostmaster.test.",
		Serial: 1, Refresh: 3600, Retry: 600, Expire: 86400, Minttl: defaultTTL,
	}}
}

func ofType(records []dns.RR, qtype uint16) []dns.RR {
	var matching []dns.RR
	for _, rr := range records {
		if rr.Header().Rrtype == qtype {
			matching = append(matching, rr)
		}
	}
	return matching
}

// parent returns the name above a canonical name; that of the root is the root.
func parent(name string) string {
	next, end := dns.NextLabel(name, 0)
	if end {
		return "."
	}
	return name[next:]
}
