package world

import (
	"io"
	"net"
	"net/netip"
	"testing"
)

// TestSocketsClose: nobody is served any more when Close returns, and every
// connection has ended.
func TestSocketsClose(t *testing.T) {
	s := NewSockets()
	t.Cleanup(s.Close)
	ip := netip.MustParseAddr("127.78.0.2")
	served, over := make(chan struct{}), make(chan struct{})
	port, err := s.Listen(netip.AddrPortFrom(ip, 0), func(conn net.Conn) {
		close(served)
		_, _ = io.Copy(io.Discard, conn) // until it is closed
		<-s.Ended()
		close(over)
	})
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.AddrPortFrom(ip, port)
	if _, err := s.Listen(addr, nil); err == nil {
		t.Error("a port is taken twice")
	}
	client, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	<-served
	s.Close()
	select {
	case <-over:
	default:
		t.Error("Close did not wait for who served")
	}
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
	if late, err := net.Dial("tcp", addr.String()); err == nil {
		late.Close()
		t.Error("somebody listens")
	}
	if s.keep(client) {
		t.Error("a connection is kept that nobody would close")
	}
}
