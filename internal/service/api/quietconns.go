package api

import (
	"container/list"
	"net"
	"net/netip"
	"time"
)

// connKind is what a connection does.
type connKind int

const (
	sending connKind = iota // its request has not arrived completely
	idle                    // between requests
	working                 // a request is in progress, or the connection has ended
)

// trackedConn is an open connection, or one that was closed to make room and
// whose end the server has not noticed yet.
type trackedConn struct {
	conn    net.Conn
	network netip.Prefix
	since   time.Time // when it was accepted, or its present request or idle time began
	kind    connKind
	element *list.Element // of the list of its kind; nil while it is working
	closed  bool          // to make room
}

// quietConns are the connections of a network without a complete request, by
// kind, oldest first.
type quietConns [working]list.List // of *trackedConn

func (q *quietConns) len() int { return q[sending].Len() + q[idle].Len() }

func (q *quietConns) first(kind connKind) *trackedConn {
	if front := q[kind].Front(); front != nil {
		return front.Value.(*trackedConn)
	}
	return nil
}

// older returns which of two has waited longer; nil is no connection.
func older(a, b *trackedConn) *trackedConn {
	if a == nil || b != nil && b.since.Before(a.since) {
		return b
	}
	return a
}

// move puts a connection at the end of the list of a kind.
func (c *connLimiter) move(t *trackedConn, kind connKind) {
	quiet := c.networks[t.network]
	if t.element != nil {
		quiet[t.kind].Remove(t.element)
		t.element = nil
	}
	t.kind = kind
	if kind == working {
		if quiet != nil && quiet.len() == 0 {
			delete(c.networks, t.network)
		}
		return
	}
	if quiet == nil {
		quiet = new(quietConns)
		c.networks[t.network] = quiet
	}
	t.element = quiet[kind].PushBack(t)
}
