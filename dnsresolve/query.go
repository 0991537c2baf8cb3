package dnsresolve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

var (
	errForged    = errors.New("the answer does not match the query")
	errMiscount  = errors.New("the message has fewer records than its header says")
	errTruncated = errors.New("the answer is truncated over TCP too")
	errNoMessage = errors.New("the exchanger returned neither an answer nor an error")
)

// newQuery asks for recursion, and for the AD bit (RFC 6840 §5.7), under a
// random ID.
func newQuery(name string, qtype uint16) *dns.Msg {
	query := new(dns.Msg).SetQuestion(name, qtype)
	query.AuthenticatedData = true
	query.SetEdns0(udpSize, false)
	return query
}

// withoutEDNS is query for a server that knows no EDNS0 (RFC 6891 §7).
func withoutEDNS(query *dns.Msg) *dns.Msg {
	plain := query.Copy()
	plain.Extra = nil
	return plain
}

// knowsNoEDNS reports whether answer may be a complaint about the OPT record of
// query.
func knowsNoEDNS(query, answer *dns.Msg) bool {
	return query.IsEdns0() != nil && (answer.Rcode == dns.RcodeFormatError || answer.Rcode == dns.RcodeNotImplemented)
}

// belongs reports whether answer carries the ID and the question of query (RFC
// 5452 §9.1). Servers that could not parse the question need not repeat it.
func belongs(query, answer *dns.Msg) bool {
	if !answer.Response || answer.Id != query.Id || answer.Opcode != dns.OpcodeQuery {
		return false
	}
	if len(answer.Question) == 0 {
		return answer.Rcode == dns.RcodeFormatError || answer.Rcode == dns.RcodeNotImplemented
	}
	asked, got := query.Question[0], answer.Question[0]
	sameType := got.Qtype == asked.Qtype && got.Qclass == asked.Qclass
	return len(answer.Question) == 1 && sameType && strings.EqualFold(got.Name, asked.Name)
}

// unpack parses a message. It is stricter than dns.Msg.Unpack, which accepts a
// message that ends before its records as one without records: that would be a
// denial.
func unpack(wire []byte) (*dns.Msg, error) {
	m := new(dns.Msg)
	err := m.Unpack(wire)
	if m.Truncated { // to be asked again over TCP: some servers cut in the middle of a record
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("broken message: %w", err)
	}
	const counts = 4 // offset of QDCOUNT, ANCOUNT, NSCOUNT, ARCOUNT (RFC 1035 §4.1.1)
	for i, got := range []int{len(m.Question), len(m.Answer), len(m.Ns), len(m.Extra)} {
		if int(binary.BigEndian.Uint16(wire[counts+2*i:])) != got {
			return nil, errMiscount
		}
	}
	return m, nil
}
