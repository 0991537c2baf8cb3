package world

import (
	"net"
	"net/netip"
	"sync"
)

// Sockets are the listeners of a world's mail hosts and the connections that
// clients have with them.
type Sockets struct {
	serving sync.WaitGroup
	ended   chan struct{}

	mu        sync.Mutex
	listeners []net.Listener
	conns     map[net.Conn]struct{} // open; nil after Close
}

// NewSockets returns a Sockets without any.
func NewSockets() *Sockets {
	return &Sockets{ended: make(chan struct{}), conns: make(map[net.Conn]struct{})}
}

// Listen has each connection to addr served on a goroutine of its own, and
// closed after that. It returns the port, which is a free one where that of
// addr is 0.
func (s *Sockets) Listen(addr netip.AddrPort, serve func(net.Conn)) (port uint16, err error) {
	listener, err := net.Listen("tcp", addr.String())
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, listener)
	s.serving.Go(func() { s.accept(listener, serve) })
	return uint16(listener.Addr().(*net.TCPAddr).Port), nil
}

func (s *Sockets) accept(listener net.Listener, serve func(net.Conn)) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		s.serving.Go(func() {
			defer conn.Close()
			if s.keep(conn) {
				defer s.forget(conn)
				serve(conn)
			}
		})
	}
}

// Ended is closed by Close.
func (s *Sockets) Ended() <-chan struct{} { return s.ended }

// Close ends listening and every connection, and waits for those who serve
// them.
func (s *Sockets) Close() {
	s.mu.Lock()
	for _, listener := range s.listeners {
		listener.Close()
	}
	for conn := range s.conns {
		conn.Close()
	}
	if s.conns != nil {
		close(s.ended)
	}
	s.conns = nil
	s.mu.Unlock()
	s.serving.Wait()
}

// keep remembers a connection for Close, and reports whether the world goes on.
func (s *Sockets) keep(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[conn] = struct{}{}
	return true
}

func (s *Sockets) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}
