package smtptest

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

// memConn is one end of a net.Pipe that shows the addresses and errors of a TCP
// connection.
type memConn struct {
	net.Conn
	local, remote *net.TCPAddr
	peer          *memConn
	closed        atomic.Bool // this end was closed by its owner
	abortive      atomic.Bool // closing this end resets the connection
}

// newMemConns returns the two ends of a connection from client to server.
func newMemConns(client, server *net.TCPAddr) (clientEnd, serverEnd *memConn) {
	a, b := net.Pipe()
	clientEnd = &memConn{Conn: a, local: client, remote: server}
	serverEnd = &memConn{Conn: b, local: server, remote: client}
	clientEnd.peer, serverEnd.peer = serverEnd, clientEnd
	return clientEnd, serverEnd
}

func (c *memConn) LocalAddr() net.Addr  { return c.local }
func (c *memConn) RemoteAddr() net.Addr { return c.remote }

func (c *memConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF && c.peer.wasReset() {
		return n, c.opError("read", os.NewSyscallError("read", syscall.ECONNRESET))
	}
	return n, c.asTCP("read", err)
}

func (c *memConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, c.asTCP("write", err)
}

func (c *memConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// SetLinger is that of net.TCPConn: with 0, Close resets the connection.
func (c *memConn) SetLinger(sec int) error {
	c.abortive.Store(sec == 0)
	return nil
}

func (c *memConn) wasReset() bool { return c.closed.Load() && c.abortive.Load() }

// asTCP translates the errors of a net.Pipe into those of a TCP connection.
func (c *memConn) asTCP(op string, err error) error {
	var opErr *net.OpError
	switch {
	case err == nil, err == io.EOF:
		return err
	case errors.As(err, &opErr):
		return c.opError(op, opErr.Err)
	case c.closed.Load():
		return c.opError(op, net.ErrClosed)
	case c.peer.wasReset():
		return c.opError(op, os.NewSyscallError(op, syscall.ECONNRESET))
	}
	return c.opError(op, os.NewSyscallError(op, syscall.EPIPE))
}

func (c *memConn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}
