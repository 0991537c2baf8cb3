package dnstest

import (
	"math/rand/v2"
	"time"

	"github.com/miekg/dns"
)

// Kind says what goes wrong.
type Kind int

// The kinds of faults.
const (
	None     Kind = iota // nothing, for a fault that only delays
	ServFail             // answers SERVFAIL
	Refused              // answers REFUSED
	NXDomain             // denies the name, as broken servers do for record types that they do not know
	Lose                 // never answers
	Truncate             // answers over UDP are empty and truncated; over TCP they are complete
	// FormErr answers a query with EDNS0 with FORMERR and no question, as
	// servers older than EDNS0 do.
	FormErr
	// Referral answers with the name servers of the root and nothing else, as a
	// server without recursion does.
	Referral
	Unreachable     // in memory: connection refused at once; on sockets: never answers
	TruncateForever // answers are empty and truncated over UDP and TCP alike
	ForgeID         // a made-up answer with another message ID arrives before the right one
	ForgeQuestion   // a made-up answer to another question arrives before the right one
	// ForgeSource sends a made-up answer from another port before the right
	// one; in memory it cannot arrive.
	ForgeSource
	Malformed // the answer ends in the middle of a record
	Oversize  // answers with 20 kB over UDP, too, whatever the client offers
	// ChangeCase answers with names, that of the question too, in upper case.
	ChangeCase
	// Strangers adds records of other names beside the right ones, and false
	// addresses of the mail hosts after them.
	Strangers
	DenyWithRecords // the answer has its records, and the code of a denial
	// Unfounded denies the name without being recursive or authoritative (no
	// RA, AA, SOA).
	Unfounded
	// Validated sets the AD bit of answers to queries that have it set (RFC
	// 6840 §5.8).
	Validated
	// SingleAlias answers with one alias at a time, so that the client must ask
	// again for the alias's target.
	SingleAlias
	SingleValidated // SingleAlias and Validated
)

// Fault is a fault of the queries that it matches. If several match, the one
// that was added last applies.
type Fault struct {
	Name   string        // only queries for this name; empty: every name
	Type   string        // only queries of this type ("MX", "AAAA"); empty: every type
	Server string        // only queries sent to this server, as named in the resolver's configuration; empty: all
	Kind   Kind          // what goes wrong; zero: nothing but the delay
	Delay  time.Duration // how long the answer takes
	Times  int           // how many queries it harms before it heals; 0: all of them
	Share  float64       // of the queries it harms so many, by chance: 0.05; 0: all of them
}

func (f *Fault) matches(q Query) bool {
	return (f.Name == "" || plainName(f.Name) == q.Name) &&
		(f.Type == "" || f.Type == q.Type) &&
		(f.Server == "" || f.Server == q.Server)
}

// Break adds a fault.
func (s *Server) Break(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &fault{Fault: f, left: f.Times})
}

// fault is a Fault and how many more queries it harms, if it is limited.
type fault struct {
	Fault
	left int
}

// faultFor returns the fault that harms q, and counts it.
func (s *Server) faultFor(q Query) Fault {
	for i := len(s.faults) - 1; i >= 0; i-- {
		f := s.faults[i]
		if !f.matches(q) || f.Times > 0 && f.left == 0 || f.Share > 0 && rand.Float64() >= f.Share {
			continue
		}
		f.left--
		return f.Fault
	}
	return Fault{}
}

// spoil returns the messages that arrive instead of right, in order; none means
// silence.
func (k Kind) spoil(right *dns.Msg, network string) [][]byte {
	switch k {
	case Lose, Unreachable:
		return nil
	case ServFail:
		right = failure(right, dns.RcodeServerFailure)
	case Refused:
		right = failure(right, dns.RcodeRefused)
	case FormErr:
		if right.IsEdns0() != nil {
			right = failure(right, dns.RcodeFormatError)
			right.Question, right.Extra = nil, nil
		}
	case NXDomain:
		right = failure(right, dns.RcodeNameError)
	case Referral:
		right = referral(right)
	case Truncate, TruncateForever:
		if network == "udp" || k == TruncateForever {
			right = failure(right, dns.RcodeSuccess)
			right.Truncated = true
		}
	case ForgeID, ForgeQuestion:
		return [][]byte{pack(forgery(right, k)), pack(right)}
	case Malformed:
		return [][]byte{cutInRecord(right)}
	case Oversize:
		right.Extra = append(right.Extra, padding()...)
	case ChangeCase:
		right = inUpperCase(right.Copy())
	case Strangers:
		right = withStrangers(right.Copy())
	case DenyWithRecords:
		right.Rcode = dns.RcodeNameError
	case Unfounded:
		right = failure(right, dns.RcodeNameError)
		right.RecursionAvailable, right.Authoritative = false, false
	}
	return [][]byte{pack(right)}
}

// failure is right without its records and with another response code.
func failure(right *dns.Msg, rcode int) *dns.Msg {
	m := right.Copy()
	m.Rcode, m.Answer, m.Ns = rcode, nil, nil
	return m
}

func referral(right *dns.Msg) *dns.Msg {
	m := failure(right, dns.RcodeSuccess)
	m.RecursionAvailable, m.Authoritative = false, false
	m.Ns = []dns.RR{&dns.NS{Hdr: header(".", dns.TypeNS), Ns: "a.root-servers.net."}}
	return m
}

// forgeries are the messages that come from another port before the right one.
func (k Kind) forgeries(query *dns.Msg) [][]byte {
	if k != ForgeSource {
		return nil
	}
	return [][]byte{pack(new(dns.Msg).SetRcode(query, dns.RcodeNameError))}
}

// forgery is an answer as an attacker would forge it: the name does not exist.
func forgery(right *dns.Msg, k Kind) *dns.Msg {
	m := failure(right, dns.RcodeNameError)
	if k == ForgeID {
		m.Id ^= 0x5555
	} else {
		m.Question = []dns.Question{{Name: "forged.test.", Qtype: dns.TypeMX, Qclass: dns.ClassINET}}
	}
	return m
}

// cutInRecord is right with one more record, whose last octets are missing.
func cutInRecord(right *dns.Msg) []byte {
	m := failure(right, dns.RcodeSuccess)
	m.Extra = nil
	m.Answer = []dns.RR{&dns.MX{Hdr: header(m.Question[0].Name, dns.TypeMX), Preference: 10, Mx: "mx.malformed.test."}}
	wire := pack(m)
	return wire[:len(wire)-5]
}

func header(name string, rrtype uint16) dns.RR_Header {
	return dns.RR_Header{Name: name, Rrtype: rrtype, Class: dns.ClassINET, Ttl: defaultTTL}
}

// pack cannot fail: what it packs was unpacked or parsed before.
func pack(m *dns.Msg) []byte {
	wire, err := m.Pack()
	if err != nil {
		panic("dnstest: " + err.Error())
	}
	return wire
}
