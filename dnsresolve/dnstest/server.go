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

// Server is a fake DNS server. It is safe for concurrent use.
type Server struct {
	listener *listener

	mu      sync.Mutex
	zone    *zone
	faults  []*fault
	queries []Query
	counts  map[Query]int // by name and type
}

// Query is a query that the Server got.
type Query struct {
	Name    string // lower-case, without the trailing dot
	Type    string // "MX", "A" …
	Network string // "udp" or "tcp"
	Server  string // the server as the client named it; on sockets the Server's own address
}

// New returns a Server that answers from text in the format of a zone file (RFC
// 1035 §5). Names are absolute with or without a trailing dot; TTL and class
// may be omitted; a line that begins with a space belongs to the name before
// it. New panics if the text cannot be parsed.
func New(text string) *Server {
	z, err := parseZone(text)
	if err != nil {
		panic(err)
	}
	return &Server{zone: z}
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

// resolve answers a question from the zone: with all aliases at once, or one at
// a time.
func (s *Server) resolve(q dns.Question, allAliases bool) (rcode int, answer, authority []dns.RR) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.zone.resolve(q, allAliases)
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

// maxQueries is how many queries are remembered word for word.
const maxQueries = 10_000

// Queries returns the queries that the Server got, in the order they came; of
// very many the last 10,000.
func (s *Server) Queries() []Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queries)
}

// Count returns how many queries for name and type the Server received. An
// empty name or type matches all.
func (s *Server) Count(name, qtype string) int {
	wanted := Fault{Name: name, Type: qtype}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for q, count := range s.counts {
		if wanted.matches(q) {
			n += count
		}
	}
	return n
}

// note remembers a query.
func (s *Server) note(q Query) {
	if len(s.queries) == maxQueries {
		s.queries = s.queries[1:]
	}
	s.queries = append(s.queries, q)
	if s.counts == nil {
		s.counts = make(map[Query]int)
	}
	s.counts[Query{Name: q.Name, Type: q.Type}]++
}

// respond records query and returns the messages to send in wire format, and
// the fault that applies to it.
func (s *Server) respond(query *dns.Msg, network, server string) ([][]byte, Fault) {
	q := Query{
		Name:    plainName(query.Question[0].Name),
		Type:    dns.TypeToString[query.Question[0].Qtype],
		Network: network,
		Server:  server,
	}
	s.mu.Lock()
	s.note(q)
	fault := s.faultFor(q)
	s.mu.Unlock()
	return fault.Kind.spoil(s.answer(query, network, fault.Kind), network), fault
}

// answer is what a server without faults says; it may be one that validates, or
// that gives one alias at a time.
func (s *Server) answer(query *dns.Msg, network string, k Kind) *dns.Msg {
	validated := k == Validated || k == SingleValidated
	single := k == SingleAlias || k == SingleValidated
	m := new(dns.Msg).SetReply(query)
	m.RecursionAvailable = true
	m.AuthenticatedData = validated && query.AuthenticatedData
	m.Rcode, m.Answer, m.Ns = s.resolve(query.Question[0], !single)
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
