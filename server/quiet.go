package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// crowd bounds the connections that are open at a time. One more is accepted at once, and the one that has been quiet for longest, without a
// whole request, is closed for it: whoever opens connections and says nothing, or little, keeps nobody out. Only where each connection has a
// request under way does the next one wait.
type crowd struct {
	net.Listener
	most int

	mu     sync.Mutex
	room   sync.Cond // there may be: a connection has ended or become quiet, or the listener is closed
	open   int
	quiet  *list.List // of net.Conn, the longest quiet one first
	place  map[net.Conn]*list.Element
	closed bool
}

func newCrowd(listener net.Listener, most int) *crowd {
	c := &crowd{Listener: listener, most: most, quiet: list.New(), place: make(map[net.Conn]*list.Element)}
	c.room.L = &c.mu
	return c
}

// Accept returns the next connection when there is room for it.
func (c *crowd) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed && c.open >= c.most {
		if !c.closeQuietest() {
			c.room.Wait()
		}
	}
	if c.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	c.open++
	return conn, nil
}

// closeQuietest makes room; the server hears of it when it next reads. It reports whether any connection was quiet.
func (c *crowd) closeQuietest() bool {
	longest := c.quiet.Front()
	if longest == nil {
		return false
	}
	conn := longest.Value.(net.Conn)
	c.forget(conn)
	c.open--
	c.place[conn] = nil // its end is counted
	conn.Close()
	return true
}

func (c *crowd) forget(conn net.Conn) {
	if at := c.place[conn]; at != nil {
		c.quiet.Remove(at)
	}
	delete(c.place, conn)
}

// Close ends Accept.
func (c *crowd) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.room.Broadcast()
	return c.Listener.Close()
}

// observe is the [http.Server]'s ConnState.
func (c *crowd) observe(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := c.place[conn]
	wasClosed := known && at == nil
	switch {
	case state == http.StateClosed || state == http.StateHijacked:
		c.forget(conn)
		if !wasClosed {
			c.open--
		}
	case wasClosed:
		return
	case state == http.StateActive:
		c.forget(conn)
		return
	default:
		c.place[conn] = c.quiet.PushBack(conn)
	}
	c.room.Signal()
}
