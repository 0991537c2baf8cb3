package smtptest

import (
	"net"
	"os"
	"sync"
	"time"
)

// eagerConn reads ahead of its owner, so that a client that sends several
// commands at once is never blocked by a server that is busy, as it would not
// be by TCP, and so that a server that is waiting notices when the client
// leaves.
type eagerConn struct {
	net.Conn
	gone chan struct{} // closed when the client is: nothing more will arrive

	mu       sync.Mutex
	arrived  sync.Cond
	chunks   []chunk
	last     time.Time // when the chunk that Read handed out last had arrived
	err      error     // the end of the stream, after chunks
	deadline time.Time // of the owner's reads
	alarm    *time.Timer
}

type chunk struct {
	at   time.Time
	data []byte
}

func newEagerConn(conn net.Conn) *eagerConn {
	c := &eagerConn{Conn: conn, gone: make(chan struct{})}
	c.arrived.L = &c.mu
	go c.readAhead()
	return c
}

func (c *eagerConn) readAhead() {
	defer close(c.gone)
	buf := make([]byte, 4096)
	for {
		n, err := c.Conn.Read(buf)
		c.mu.Lock()
		if n > 0 {
			c.chunks = append(c.chunks, chunk{time.Now(), append([]byte(nil), buf[:n]...)})
		}
		c.err = err
		c.arrived.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Read hands out bytes of one chunk at a time, so that lastArrival is exact.
// What had arrived before Close can be read after it.
func (c *eagerConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.overdue() && len(c.chunks) == 0 && c.err == nil {
		c.arrived.Wait()
	}
	switch {
	case c.overdue():
		return 0, os.ErrDeadlineExceeded
	case len(c.chunks) == 0:
		return 0, c.err
	}
	first := &c.chunks[0]
	c.last = first.at
	n := copy(b, first.data)
	if first.data = first.data[n:]; len(first.data) == 0 {
		c.chunks = c.chunks[1:]
	}
	return n, nil
}

func (c *eagerConn) overdue() bool {
	return !c.deadline.IsZero() && !time.Now().Before(c.deadline)
}

// lastArrival is when the bytes that Read returned last had arrived.
func (c *eagerConn) lastArrival() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// pending reports whether bytes have arrived that Read did not return yet.
func (c *eagerConn) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.chunks) > 0
}

// SetReadDeadline is for the owner's reads; reading ahead has no deadline.
func (c *eagerConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alarm != nil {
		c.alarm.Stop()
		c.alarm = nil
	}
	c.deadline = t
	if !t.IsZero() {
		c.alarm = time.AfterFunc(time.Until(t), c.wake)
	}
	return nil
}

// wake has Read look at its deadline. The lock makes sure that Read is not
// between looking and waiting.
func (c *eagerConn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arrived.Broadcast()
}

func (c *eagerConn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(t)
}
