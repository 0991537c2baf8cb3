package api

import (
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
)

// oneByOne accepts new pipes.
type oneByOne struct{ net.Listener }

func (oneByOne) Accept() (net.Conn, error) {
	conn, _ := net.Pipe()
	return conn, nil
}

// TestConnLimiterForgets checks that nothing is left of connections that ended
// by themselves or to make room, whatever their states were.
func TestConnLimiterForgets(t *testing.T) {
	synctest.Test(t, testConnLimiterForgets)
}

func testConnLimiterForgets(t *testing.T) {
	const most = 3
	c := newConnLimiter(oneByOne{}, most, func(netip.Addr) bool { return false })
	var all []net.Conn
	accept := func() net.Conn {
		conn, err := c.Accept()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, conn)
		c.observe(conn, http.StateNew)
		return conn
	}
	for range 4 {
		idle, active := accept(), accept()
		c.observe(active, http.StateActive)
		c.arrived(active)
		for _, state := range []http.ConnState{http.StateActive, http.StateIdle, http.StateActive, http.StateIdle} {
			c.observe(idle, state)
		}
		accept()
		c.observe(active, http.StateHijacked)
	}
	if quiet := c.networks[netip.Prefix{}].len(); c.open > most || quiet > most {
		t.Errorf("%d open, %d of them quiet, want %d in all", c.open, quiet, most)
	}
	for _, conn := range all {
		if c.conns[conn] != nil {
			c.observe(conn, http.StateClosed)
		}
	}
	if c.open != 0 || len(c.networks) != 0 || len(c.conns) != 0 {
		t.Errorf("%d open, %d known, %d networks, want none", c.open, len(c.conns), len(c.networks))
	}
}
