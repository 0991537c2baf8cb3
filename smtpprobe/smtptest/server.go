package smtptest

import "net"

// Server is a fake mail host on a loopback address.
type Server struct {
	Addr string // the address it listens on: "127.0.0.1:40123"

	listener net.Listener
	sessions sessions
}

// Start listens on a free port of 127.0.0.1. It panics when it cannot.
func Start(h Handler) *Server {
	s, err := StartAt("127.0.0.1:0", h)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	return s
}

// StartAt listens on addr, such as "127.0.0.2:2525".
func StartAt(addr string, h Handler) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: l.Addr().String(), listener: l}
	s.sessions.wg.Go(func() { s.accept(h) })
	return s, nil
}

func (s *Server) accept(h Handler) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.sessions.start(h, conn, s.Addr)
	}
}

// Sessions returns the connections made so far, in order; of very many the last
// 10,000. After Close each is whole.
func (s *Server) Sessions() []Session { return s.sessions.list() }

// Err returns what clients did wrong, such as a line that a script did not
// expect; nil: nothing.
func (s *Server) Err() error { return s.sessions.err() }

// Close stops listening and waits until the open connections have ended. A
// client that has not ended its own after five seconds is cut off.
func (s *Server) Close() {
	_ = s.listener.Close()
	s.sessions.close()
}
