package api

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// networkShare of the connections is what one network may have.
	networkShare = 8
	// idleEndEvery is how often idle connections are ended to make room.
	idleEndEvery = time.Second
)

// connLimit is a listener that limits the connections that are open at a time,
// in all and of one network. Of a network that has its share, one more is
// closed; if there are too many in all, it waits. So clients that open
// connections and send nothing, or little, do not lock other networks out.
type connLimit struct {
	net.Listener
	most int
	// endIdle ends the connections between two requests, to make room.
	endIdle func()
	// exempt tells addresses that the share does not bind.
	exempt func(netip.Addr) bool

	mu     sync.Mutex
	room   sync.Cond // a connection has ended, or the listener is closed
	closed bool
	open   int
	of     map[netip.Prefix]int // connections of those that the share binds
	ended  time.Time            // when idle ones were ended
}

func newConnLimit(listener net.Listener, most int, exempt func(netip.Addr) bool) *connLimit {
	c := &connLimit{Listener: listener, most: most, exempt: exempt, of: map[netip.Prefix]int{}}
	c.room.L = &c.mu
	return c
}

// Accept returns the next connection once there is room for it.
func (c *connLimit) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		switch limited, err := c.admit(conn); {
		case err != nil:
			conn.Close()
			return nil, err
		case limited != nil:
			return limited, nil
		}
		conn.Close()
	}
}

// admit counts a connection and returns it; nil: its network has its share.
func (c *connLimit) admit(conn net.Conn) (net.Conn, error) {
	from := c.networkOf(conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	if from.IsValid() && c.of[from] >= max(1, c.most/networkShare) {
		return nil, nil
	}
	for !c.closed && c.open >= c.most {
		c.makeRoom()
	}
	if c.closed {
		return nil, net.ErrClosed
	}
	c.open++
	c.of[from]++
	return &limitedConn{Conn: conn, end: sync.OnceFunc(func() { c.left(from) })}, nil
}

// makeRoom has idle connections end, whose clients can open new ones, and waits
// for the end of a connection, or until others may be idle.
func (c *connLimit) makeRoom() {
	if now := time.Now(); now.Sub(c.ended) >= idleEndEvery {
		c.ended = now
		go c.endIdle() // closes connections, which takes the lock
	}
	again := time.AfterFunc(idleEndEvery, c.room.Broadcast)
	defer again.Stop()
	c.room.Wait()
}

// left counts the end of a connection.
func (c *connLimit) left(from netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if c.of[from]--; c.of[from] == 0 {
		delete(c.of, from)
	}
	c.room.Signal()
}

// Close ends Accept.
func (c *connLimit) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.room.Broadcast()
	return c.Listener.Close()
}

// networkOf returns the network of a client whose share binds it. It is invalid
// for clients on this machine and those that are exempt.
func (c *connLimit) networkOf(conn net.Conn) netip.Prefix {
	addr := addrOf(conn.RemoteAddr().String())
	if addr.IsLoopback() || c.exempt(addr) {
		return netip.Prefix{}
	}
	return networkOf(addr)
}

// limitedConn is a connection that is counted until it is closed.
type limitedConn struct {
	net.Conn
	end func()
}

func (c *limitedConn) Close() error {
	defer c.end()
	return c.Conn.Close()
}
