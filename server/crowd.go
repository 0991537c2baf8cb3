package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// crowd bounds the connections that are open at a time. One more is accepted, and another that has no request is closed for it: one that has not
// sent its first request for [silence], or else the one that has been idle for longest. So whoever opens connections and says nothing, or little,
// keeps nobody out. Only where each connection has a request under way does the next one wait.
type crowd struct {
	net.Listener
	most int

	mu     sync.Mutex
	room   sync.Cond // there may be some: a connection has ended or has no request, or the listener is closed
	open   int
	silent *list.List // of *guest, without a first request, the oldest first
	idle   *list.List // of *guest, between requests, the longest idle first
	guests map[net.Conn]*guest
	closed bool
}

// guest is an open connection, or one that was closed to make room and that the server has not missed yet.
type guest struct {
	conn  net.Conn
	since time.Time     // when it came
	list  *list.List    // silent or idle; nil: a request is under way
	at    *list.Element // of the list
	gone  bool
}

// waitIn puts the guest at the end of a list; nil: it leaves the one that it is in.
func (g *guest) waitIn(l *list.List) {
	if g.list != nil {
		g.list.Remove(g.at)
	}
	if g.list = l; l != nil {
		g.at = l.PushBack(g)
	}
}

func newCrowd(listener net.Listener, most int) *crowd {
	c := &crowd{Listener: listener, most: most, silent: list.New(), idle: list.New(), guests: make(map[net.Conn]*guest)}
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

// closeQuiet makes room if it can. The server hears of it when it next reads.
func (c *crowd) closeQuiet() bool {
	from := c.silent
	oldest := from.Front()
	if oldest == nil || time.Since(oldest.Value.(*guest).since) < silence {
		from = c.idle
		oldest = from.Front()
	}
	if oldest == nil {
		return false
	}
	g := oldest.Value.(*guest)
	g.waitIn(nil)
	g.gone = true
	c.open--
	g.conn.Close()
	return true
}

// wait returns when there may be room.
func (c *crowd) wait() {
	if oldest := c.silent.Front(); oldest != nil {
		alarm := time.AfterFunc(silence-time.Since(oldest.Value.(*guest).since), c.room.Broadcast)
		defer alarm.Stop()
	}
	c.room.Wait()
}

// Close ends Accept.
func (c *crowd) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.room.Broadcast()
	return c.Listener.Close()
}

// observe is the ConnState of the [http.Server].
func (c *crowd) observe(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.guests[conn]
	if g == nil {
		g = &guest{conn: conn, since: time.Now()}
		c.guests[conn] = g
	}
	ends := state == http.StateClosed || state == http.StateHijacked
	if ends {
		delete(c.guests, conn)
	}
	switch {
	case g.gone:
		return
	case ends:
		g.waitIn(nil)
		c.open--
	case state == http.StateNew:
		g.waitIn(c.silent)
	case state == http.StateIdle:
		g.waitIn(c.idle)
	default:
		g.waitIn(nil)
	}
	c.room.Signal()
}
