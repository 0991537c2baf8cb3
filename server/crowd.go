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
	silent *list.List // of quiet, without a first request, the oldest first
	idle   *list.List // of quiet, between requests, the longest idle first
	places map[net.Conn]place
	closed bool
}

// quiet is a connection without a request under way.
type quiet struct {
	conn  net.Conn
	since time.Time
}

// place is where a connection stands. In no list: it was closed to make room.
type place struct {
	list *list.List
	at   *list.Element
}

func newCrowd(listener net.Listener, most int) *crowd {
	c := &crowd{Listener: listener, most: most, silent: list.New(), idle: list.New(), places: make(map[net.Conn]place)}
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
	if oldest == nil || time.Since(oldest.Value.(quiet).since) < silence {
		from = c.idle
		oldest = from.Front()
	}
	if oldest == nil {
		return false
	}
	conn := from.Remove(oldest).(quiet).conn
	c.places[conn] = place{}
	c.open--
	conn.Close()
	return true
}

// wait returns when there may be room.
func (c *crowd) wait() {
	if oldest := c.silent.Front(); oldest != nil {
		alarm := time.AfterFunc(silence-time.Since(oldest.Value.(quiet).since), c.room.Broadcast)
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
	at, known := c.places[conn]
	closed := known && at.list == nil
	if known && !closed {
		at.list.Remove(at.at)
	}
	if !closed || state == http.StateClosed {
		delete(c.places, conn)
	}
	switch {
	case closed:
		return
	case state == http.StateClosed || state == http.StateHijacked:
		c.open--
	case state == http.StateNew:
		c.places[conn] = place{c.silent, c.silent.PushBack(quiet{conn, time.Now()})}
	case state == http.StateIdle:
		c.places[conn] = place{c.idle, c.idle.PushBack(quiet{conn, time.Now()})}
	}
	c.room.Signal()
}
