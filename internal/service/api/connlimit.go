package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// connLimiter limits the connections that are open at a time. For one more than
// the limit it closes a connection whose request has not arrived completely, or
// that has none. So clients that open connections and send nothing, or little,
// do not lock others out. Two rules choose that connection:
//
//   - If a network has more than its share of them, one of that network: the
//     one that has been idle for longest, or else the oldest.
//   - Otherwise one that has not sent its request for [silence], or else the
//     one that has been idle for longest.
//
// A new connection waits only if all others have a request in progress.
type connLimiter struct {
	net.Listener
	limit int
	proxy func(netip.Addr) bool // tells reverse proxies that we trust

	mu sync.Mutex
	// room signals that there may be room: a connection has ended or has no
	// request any more, or the listener is closed.
	room     sync.Cond
	open     int
	networks map[netip.Prefix]*quietConns // those that have some
	conns    map[net.Conn]*trackedConn
	closed   bool
}

// share of the connections is what one network may have without a complete
// request while there is no room for others.
const share = 8

func newConnLimiter(listener net.Listener, limit int, proxy func(netip.Addr) bool) *connLimiter {
	c := &connLimiter{Listener: listener, limit: limit, proxy: proxy,
		networks: make(map[netip.Prefix]*quietConns), conns: make(map[net.Conn]*trackedConn)}
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
		if t := c.leastNeeded(); t != nil {
			c.end(t)
		} else {
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

// leastNeeded returns the connection that gives way, or nil.
func (c *connLimiter) leastNeeded() *trackedConn {
	var most *quietConns
	var aged, idlest *trackedConn
	for network, quiet := range c.networks {
		if network.IsValid() && (most == nil || quiet.len() > most.len()) {
			most = quiet
		}
		aged, idlest = older(aged, quiet.first(sending)), older(idlest, quiet.first(idle))
	}
	switch {
	case most != nil && most.len() > c.limit/share:
		if t := most.first(idle); t != nil {
			return t
		}
		return most.first(sending)
	case aged != nil && time.Since(aged.since) >= silence:
		return aged
	}
	return idlest
}

// end closes a connection. The server notices it at its next read.
func (c *connLimiter) end(t *trackedConn) {
	c.move(t, working)
	t.closed = true
	c.open--
	t.conn.Close()
}

// wait returns when there may be room.
func (c *connLimiter) wait() {
	var oldest *trackedConn
	for _, quiet := range c.networks {
		oldest = older(oldest, quiet.first(sending))
	}
	if oldest != nil {
		alarm := time.AfterFunc(silence-time.Since(oldest.since), c.room.Broadcast)
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
		t = &trackedConn{conn: conn, since: time.Now(), network: c.networkOf(conn)}
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
		c.move(t, working)
		c.open--
	case state == http.StateNew:
		c.move(t, sending)
	case state == http.StateIdle:
		t.since = time.Now()
		c.move(t, idle)
	case t.kind == idle: // the header of another request has arrived
		t.since = time.Now()
		c.move(t, sending)
	}
	c.room.Signal()
}

// networkOf returns the network of a client. It is invalid for a reverse proxy
// and for a connection without an address: no share binds them.
func (c *connLimiter) networkOf(conn net.Conn) netip.Prefix {
	addr := addrOf(conn.RemoteAddr().String())
	if c.proxy(addr) {
		return netip.Prefix{}
	}
	return networkOf(addr)
}

// connKey is the context's key of a request's connection.
type connKey struct{}

// inContext is the ConnContext of the [http.Server].
func (c *connLimiter) inContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// arriving wraps the handler of the [http.Server]: it notes when a request has
// arrived completely.
func (c *connLimiter) arriving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		if r.ContentLength == 0 {
			c.arrived(conn)
		} else {
			r.Body = &arrivingBody{ReadCloser: r.Body, arrived: func() { c.arrived(conn) }}
		}
		next.ServeHTTP(w, r)
	})
}

// arrived notes that the request of a connection is complete.
func (c *connLimiter) arrived(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.conns[conn]; t != nil {
		c.move(t, working)
	}
}

// arrivingBody is the body of a request.
type arrivingBody struct {
	io.ReadCloser
	arrived func()
}

func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.arrived()
	}
	return n, err
}
