package dnstest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/miekg/dns"
)

// maxUDPSize is the largest answer over UDP, whatever the client offers: the
// size that never needs fragments (DNS flag day 2020).
const maxUDPSize = 1232

// Server is a fake DNS server. It is safe for concurrent use; its exported
// fields are set before the first query.
type Server struct {
	// Validated makes the Server set the AD bit of answers to queries that have
	// it set (RFC 6840 §5.8).
	Validated bool
	// SingleAlias makes the Server answer with one alias at a time, so that the
	// client must ask again for the alias's target.
	SingleAlias bool

	listener *listener

	mu      sync.Mutex
	zone    *zone
	faults  []*fault
	queries []Query
}

// Query is a query that the Server got.
type Query struct {
	Name    string // lower-case, without the trailing dot
	Type    string // "MX", "A" …
	Network string // "udp" or "tcp"
	Server  string // the server as the client named it; on sockets the Server's own address
	EDNS    bool   // the query carries an OPT record (RFC 6891)
}

// New returns a Server that answers from text in the format of a zone file (RFC
// 1035 §5). Names are absolute with or without a trailing dot; TTL and class
// may be omitted; a line that begins with a space belongs to the name before
// it. New panics if the text cannot be parsed; see [Parse].
func New(text string) *Server {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Parse is [New] for text that may be wrong.
func Parse(text string) (*Server, error) {
	z, err := parseZone(text)
	if err != nil {
		return nil, err
	}
	return &Server{zone: z}, nil
}

// Add adds text to that of [New], and panics like it. A resolver remembers what
// it was told before.
func (s *Server) Add(text string) {
	added, err := parseZone(text)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, records := range added.records {
		for _, rr := range records {
			s.zone.add(rr)
		}
	}
}

// resolve answers a question from the zone.
func (s *Server) resolve(q dns.Question) (rcode int, answer, authority []dns.RR) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.zone.resolve(q, !s.SingleAlias)
}

// Exchange answers query in memory, so that a Server is an Exchanger for
// package dnsresolve. Any server name will do.
func (s *Server) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	asked := new(dns.Msg)
	if err := asked.Unpack(query); err != nil {
		return nil, fmt.Errorf("dnstest: broken query: %w", err)
	}
	if len(asked.Question) != 1 {
		return nil, errors.New("dnstest: a query has one question")
	}
	messages, fault := s.respond(asked, network, server)
	if fault.Kind == Unreachable {
		return nil, &net.OpError{Op: "read", Net: network, Err: syscall.ECONNREFUSED}
	}
	if err := wait(ctx, fault.Delay); err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return messages[0], nil
}

// Queries returns the queries that the Server got, in the order they came.
func (s *Server) Queries() []Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

// Count returns how many queries for name and type the Server received. An
// empty name or type matches all.
func (s *Server) Count(name, qtype string) int {
	wanted := Fault{Name: name, Type: qtype}
	n := 0
	for _, q := range s.Queries() {
		if wanted.matches(q) {
			n++
		}
	}
	return n
}

// respond records query and returns the messages to send in wire format, and
// the fault that applies to it.
func (s *Server) respond(query *dns.Msg, network, server string) ([][]byte, Fault) {
	q := Query{
		Name:    plainName(query.Question[0].Name),
		Type:    dns.TypeToString[query.Question[0].Qtype],
		Network: network,
		Server:  server,
		EDNS:    query.IsEdns0() != nil,
	}
	s.mu.Lock()
	s.queries = append(s.queries, q)
	fault := s.faultFor(q)
	s.mu.Unlock()
	return fault.Kind.spoil(s.answer(query, network), network), fault
}

// answer is what a server without faults says.
func (s *Server) answer(query *dns.Msg, network string) *dns.Msg {
	m := new(dns.Msg).SetReply(query)
	m.RecursionAvailable = true
	m.AuthenticatedData = s.Validated && query.AuthenticatedData
	m.Rcode, m.Answer, m.Ns = s.resolve(query.Question[0])
	size := dns.MinMsgSize
	if opt := query.IsEdns0(); opt != nil {
		m.SetEdns0(maxUDPSize, false)
		size = min(int(opt.UDPSize()), maxUDPSize)
	}
	if network == "tcp" {
		size = dns.MaxMsgSize
	}
	m.Truncate(size)
	return m
}

// plainName is name in lower case and without the trailing dot.
func plainName(name string) string {
	return strings.TrimSuffix(dns.CanonicalName(name), ".")
}

// wait returns after d, or earlier with the error of ctx.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
