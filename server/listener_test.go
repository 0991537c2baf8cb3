package server_test

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/server"
)

// pipeListener is a listener in memory, so that a minute of waiting takes no
// time under synctest.
type pipeListener struct {
	dialled chan net.Conn
	closed  chan struct{}
	close   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialled:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial() net.Conn {
	client, served := net.Pipe()
	l.dialled <- served
	return client
}

// dialFrom is dial from an address.
func (l *pipeListener) dialFrom(ip string) net.Conn {
	client, served := net.Pipe()
	l.dialled <- &connFrom{served, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 4711))}
	return client
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	from net.Addr
}

func (c *connFrom) RemoteAddr() net.Addr { return c.from }

// listening has a server with this configuration serve in memory, in the bubble
// of a test. stop ends it.
func listening(t *testing.T, config server.Config) (listener *pipeListener, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	listener, s := newPipeListener(), newServer(t, config)
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, listener) }()
	return listener, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
