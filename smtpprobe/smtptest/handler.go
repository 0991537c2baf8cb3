package smtptest

import "net"

// Handler plays the server's side of one connection.
type Handler interface {
	// ServeSMTP returns when the session is over, and has closed conn by then.
	ServeSMTP(conn net.Conn)
}

// HandlerFunc is a function as a [Handler].
type HandlerFunc func(conn net.Conn)

// ServeSMTP calls f(conn).
func (f HandlerFunc) ServeSMTP(conn net.Conn) { f(conn) }

// Unrecorded returns h as one of whose sessions a [Network] or [Server] keeps
// nothing.
func Unrecorded(h Handler) Handler { return unrecordedHandler{h} }

type unrecordedHandler struct{ Handler }
