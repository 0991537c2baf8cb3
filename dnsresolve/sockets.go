package dnsresolve

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/miekg/dns"
)

// sockets carry queries unless an Exchanger is configured. A TCP connection
// carries one query, a UDP socket a few, one after the other: see [udpSocket].
type sockets struct {
	maxIdle int

	mu      sync.Mutex // guards what follows
	idle    []*udpSocket
	busy    map[*udpSocket]struct{}
	sweeper *time.Timer // nil: no socket is idle
	closed  bool
}

// idleSockets is the number of idle sockets that are kept for a maximum of
// concurrent queries: about what a busy resolver's use varies by.
func idleSockets(questions int) int { return questions / 2 }

// exchangeUDP sends query over UDP and returns the answer. It observes the end,
// zero meaning none, and the context, whose deadline is another.
func (s *sockets) exchangeUDP(ctx context.Context, end time.Time, query *dns.Msg, server string) (*dns.Msg, error) {
	socket, err := s.take(ctx, end, server)
	if err != nil {
		return nil, orEndOf(ctx, err)
	}
	_ = socket.conn.SetDeadline(end)
	stop := endWith(ctx, socket.conn)
	answer, err := socket.exchange(query)
	s.put(socket, stop() && err == nil)
	return answer, orEndOf(ctx, err)
}

// exchangeTCP sends query over TCP and returns the answer.
func exchangeTCP(ctx context.Context, query *dns.Msg, server string) (*dns.Msg, error) {
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "tcp", server)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	deadline, _ := ctx.Deadline()
	_ = socket.SetDeadline(deadline)
	defer endWith(ctx, socket)()
	conn := &dns.Conn{Conn: socket}
	if err := conn.WriteMsg(query); err != nil {
		return nil, orEndOf(ctx, err)
	}
	wire, err := conn.ReadMsgHeader(nil)
	if err != nil {
		return nil, orEndOf(ctx, err)
	}
	return unpack(wire)
}

// endWith ends what is in progress on the socket when ctx is cancelled or its
// deadline passes, until stop is called. The socket can be used again if stop
// returns true.
func endWith(ctx context.Context, socket net.Conn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })
}

// orEndOf is err, or the reason for it where that is the end of ctx.
func orEndOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// take returns a socket that is connected with the server: the one that was
// idle for the shortest time, or a new one.
func (s *sockets) take(ctx context.Context, end time.Time, server string) (*udpSocket, error) {
	socket := s.takeIdle(server)
	if socket == nil {
		dialled, err := dialUDP(ctx, end, server)
		if err != nil {
			return nil, err
		}
		socket = dialled
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		socket.close()
		return nil, errClosed
	}
	if s.busy == nil {
		s.busy = make(map[*udpSocket]struct{})
	}
	s.busy[socket] = struct{}{}
	return socket, nil
}

func (s *sockets) takeIdle(server string) *udpSocket {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for i, socket := range slices.Backward(s.idle) {
		if socket.server == server && now.Before(socket.until) {
			s.idle = slices.Delete(s.idle, i, i+1)
			return socket
		}
	}
	return nil
}

// put keeps a socket for the next query, if it is fit for one and may carry it.
func (s *sockets) put(socket *udpSocket, fit bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, socket)
	if s.closed || !fit || socket.left == 0 || len(s.idle) >= s.maxIdle {
		socket.close()
		return
	}
	s.idle = append(s.idle, socket)
	s.sweepLater()
}

// sweepLater has idle sockets closed that are too old then. It does not keep
// those of a Resolver that was dropped: the garbage collector closes them.
func (s *sockets) sweepLater() {
	if s.sweeper != nil || len(s.idle) == 0 {
		return
	}
	swept := weak.Make(s)
	s.sweeper = time.AfterFunc(socketAge, func() {
		if s := swept.Value(); s != nil {
			s.sweep()
		}
	})
}

// sweep closes the idle sockets that are too old.
func (s *sockets) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(time.Now())
	s.sweeper = nil
	s.sweepLater()
}

// drop closes the idle sockets that end by then.
func (s *sockets) drop(then time.Time) {
	s.idle = slices.DeleteFunc(s.idle, func(socket *udpSocket) bool {
		old := !then.Before(socket.until)
		if old {
			socket.close()
		}
		return old
	})
}

// close closes the sockets, which ends the queries in progress.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for socket := range s.busy {
		socket.close()
	}
	s.drop(time.Now().Add(socketAge))
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
}
