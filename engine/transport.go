package engine

import (
	"context"
	"net"
)

// Exchanger sends one query to one DNS server and returns the answer, both as
// messages of RFC 1035 §4 without the length that precedes them over TCP.
// network is "udp" or "tcp", server is HOST:PORT: the names of
// [Config.Resolvers] with a port. An Exchanger may ignore both; package
// dnsresolve/doh has one that does. Package dnsresolve/dnstest has a fake.
//
// Exchange returns when ctx ends at the latest. It does not change the query,
// and keeps neither message. The Verifier parses the answer and checks that it
// has the ID and the question of the query. It asks over "tcp" what was
// truncated over "udp".
type Exchanger interface {
	Exchange(ctx context.Context, query []byte, network, server string) (answer []byte, err error)
}

// Dialer opens the connections to mail hosts: network is "tcp", address is
// IP:PORT. [net.Dialer] is one; package smtpprobe/smtptest has a fake network.
// DialContext returns when ctx ends at the latest.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}
