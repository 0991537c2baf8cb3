package dnsresolve

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/miekg/dns"
)

// sockets is the default Exchanger. Every exchange has a socket of its own, so that a UDP query has a random source port (RFC 5452 §9.2).
type sockets struct{}

// Exchange implements [Exchanger].
func (sockets) Exchange(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error) {
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, network, server)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })() // on cancel and at the deadline

	conn := &dns.Conn{Conn: socket, UDPSize: readSize}
	if err := conn.WriteMsg(query); err != nil {
		return nil, err
	}
	answer, err := readAnswer(conn, query, network)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// readAnswer reads the answer to query. Over UDP a message that does not belong to query may come from anyone: it is passed over.
func readAnswer(conn *dns.Conn, query *dns.Msg, network string) (*dns.Msg, error) {
	for {
		wire, err := conn.ReadMsgHeader(nil)
		if network == "udp" && (errors.Is(err, dns.ErrShortRead) || err == nil && binary.BigEndian.Uint16(wire) != query.Id) {
			continue
		}
		if err != nil {
			return nil, err
		}
		answer, err := unpack(wire)
		if err != nil {
			return nil, err
		}
		if network != "udp" || belongs(query, answer) {
			return answer, nil
		}
	}
}
