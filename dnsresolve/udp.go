package dnsresolve

import (
	"context"
	"encoding/binary"
	"net"
	"time"

	"github.com/miekg/dns"
)

// udpSocket is connected with one server and carries one query at a time.
//
// RFC 5452 §9.2 wants the port of a query to be unpredictable, and queries
// under way at the same time to have different ones. That holds here: the
// system chooses the port at random, nobody but the server sees it, and it
// serves one query at a time. It serves a few, one after the other and within
// seconds, because opening and closing a socket costs more than a query. That
// leaves little time to search for the port (by CVE-2020-25705 about a thousand
// a second could be tried), and what is found is soon worth nothing: after the
// first message that does not belong to its query, a guess at the ID, the
// socket is not used again.
type udpSocket struct {
	conn   net.Conn
	server string
	left   int       // queries that it may still carry
	until  time.Time // no query after that
	buffer [readSize]byte
}

// dialUDP takes no time unless the server is given by name; the end limits the
// look-up of the name.
func dialUDP(ctx context.Context, end time.Time, server string) (*udpSocket, error) {
	dialer := net.Dialer{Deadline: end}
	conn, err := dialer.DialContext(ctx, "udp", server)
	if err != nil {
		return nil, err
	}
	return &udpSocket{conn: conn, server: server, left: socketQueries, until: time.Now().Add(socketAge)}, nil
}

func (s *udpSocket) close() { _ = s.conn.Close() }

// exchange sends query and reads its answer. A message that does not belong to
// the query may come from anyone and is skipped.
func (s *udpSocket) exchange(query *dns.Msg) (*dns.Msg, error) {
	s.left--
	wire, err := query.PackBuffer(s.buffer[:])
	if err != nil {
		return nil, err
	}
	if _, err := s.conn.Write(wire); err != nil {
		return nil, err
	}
	for {
		n, err := s.conn.Read(s.buffer[:])
		if err != nil {
			return nil, err
		}
		if n == len(s.buffer) {
			s.buffer[flagsOffset] |= flagTruncated // the end did not fit, and is lost: it is asked for again over TCP
		}
		if n >= headerSize && binary.BigEndian.Uint16(s.buffer[:]) == query.Id {
			answer, err := unpack(s.buffer[:n])
			if err != nil || belongs(query, answer) {
				return answer, err
			}
		}
		s.left = 0
	}
}
