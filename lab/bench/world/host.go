package world

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// host is a mail host at work.
type host struct {
	traits
	world    *World
	sessions gauge
}

func (w *World) startHost(e exchange) (*host, error) {
	h := &host{traits: e.traits, world: w}
	_, err := w.sockets.Listen(netip.AddrPortFrom(e.ip, w.spec.Port), h.serve)
	return h, err
}

// serve holds a session and counts it until the connection is closed: a client
// that has seen that may open the next session.
func (h *host) serve(conn net.Conn) {
	h.world.counts.connections.Add(1)
	h.world.counts.sessions.enter()
	open := h.sessions.enter()
	refusal := ""
	if h.maxSessions > 0 && open > int64(h.maxSessions) {
		refusal = "421 4.7.0 " + h.name + " Error: too many connections from your address"
	}
	if h.world.spec.Operator.SessionsPerClient > 0 {
		client, says := h.world.all.enters(conn, time.Now())
		defer h.world.all.leaves(client)
		refusal = says
	}
	defer h.world.counts.sessions.leave()
	defer h.sessions.leave()
	newSession(h, conn).run(refusal)
}

// counts are the counters of all hosts together.
type counts struct {
	connections, turnedAway, waits, noQUIT atomic.Int64

	sessions gauge
	commands tally
}

func newCounts() *counts {
	return &counts{commands: newTally(
		"EHLO", "HELO", "MAIL", "RCPT", "RSET", "NOOP", "DATA", "BDAT", "QUIT", "STARTTLS", "VRFY", "AUTH",
	)}
}
