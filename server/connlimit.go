package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// connLimiter limits the connections that are open at a time. For one more than
// the limit it closes a connection without a request: one that has not sent its
// first request for [silence], or else the one that has been idle for longest.
// So clients that open connections and send nothing do not lock others out. A
// new connection waits only if all others have a request in progress.
type connLimiter struct {
	net.Listener
	limit int

	mu sync.Mutex
	// room signals that there may be room: a connection has ended or has no
	// request any more, or the listener is closed.
	room   sync.Cond
	open   int
	silent *list.List // of *trackedConn, without a first request, oldest first
	idle   *list.List // of *trackedConn, between requests, longest idle first
	conns  map[net.Conn]*trackedConn
	closed bool
}

// trackedConn is an open connection, or one that was closed to make room and
// whose end the server has not noticed yet.
type trackedConn struct {
	conn    net.Conn
	since   time.Time     // when it was accepted
	list    *list.List    // silent or idle; nil: a request is in progress
	element *list.Element // of the list
	closed  bool          // to make room
}

// moveTo puts the connection at the end of a list; nil: of none.
func (t *trackedConn) moveTo(l *list.List) {
	if t.list != nil {
		t.list.Remove(t.element)
	}
	if t.list = l; l != nil {
		t.element = l.PushBack(t)
	}
}

func newConnLimiter(listener net.Listener, limit int) *connLimiter {
	c := &connLimiter{Listener: listener, limit: limit, silent: list.New(), idle: list.New(), conns: make(map[net.Conn]*trackedConn)}
	c.room.L = &c.mu
	return c
}

// Accept returns the next connection once there is room for it.
func (c *connLimiter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed && c.open >= c.limit {
		if !c.closeQuiet() {
			c.wait()
		}
	}
	if c.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	c.open++
	return conn, nil
}

// closeQuiet closes a connection without a request, and reports whether there
// was one. The server notices it at its next read.
func (c *connLimiter) closeQuiet() bool {
	from := c.silent
	oldest := from.Front()
	if oldest == nil || time.Since(oldest.Value.(*trackedConn).since) < silence {
		from = c.idle
		oldest = from.Front()
	}
	if oldest == nil {
		return false
	}
	t := oldest.Value.(*trackedConn)
	t.moveTo(nil)
	t.closed = true
	c.open--
	t.conn.Close()
	return true
}

// wait returns when there may be room.
func (c *connLimiter) wait() {
	if oldest := c.silent.Front(); oldest != nil {
		alarm := time.AfterFunc(silence-time.Since(oldest.Value.(*trackedConn).since), c.room.Broadcast)
		defer alarm.Stop()
	}
	c.room.Wait()
}

// Close ends Accept.
func (c *connLimiter) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.room.Broadcast()
	return c.Listener.Close()
}

// observe is the ConnState of the [http.Server].
func (c *connLimiter) observe(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.conns[conn]
	if t == nil {
		t = &trackedConn{conn: conn, since: time.Now()}
		c.conns[conn] = t
	}
	ends := state == http.StateClosed || state == http.StateHijacked
	if ends {
		delete(c.conns, conn)
	}
	switch {
	case t.closed:
		return
	case ends:
		t.moveTo(nil)
		c.open--
	case state == http.StateNew:
		t.moveTo(c.silent)
	case state == http.StateIdle:
		t.moveTo(c.idle)
	default:
		t.moveTo(nil)
	}
	c.room.Signal()
}
