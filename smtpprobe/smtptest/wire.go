package smtptest

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"
)

// wire is the server's end of a connection as handlers see it: it records what
// is said in clear, can start TLS, and can wait without missing that the client
// left.
type wire struct {
	net.Conn   // in clear: the eager connection, or TLS over it
	eager      *eagerConn
	record     *record // nil: nothing is kept
	secure     bool
	muted      bool // what the client sends is not in clear, so it is not recorded
	closeOnce  sync.Once
	closeError error
}

func newWire(conn net.Conn, rec *record) *wire {
	eager := newEagerConn(conn)
	return &wire{Conn: eager, eager: eager, record: rec}
}

// wireOf returns conn itself where a Network or Server made it, else wraps it.
func wireOf(conn net.Conn) *wire {
	if w, ok := conn.(*wire); ok {
		return w
	}
	return newWire(conn, nil)
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if !w.muted {
		w.record.fromClient(b[:n])
	}
	return n, err
}

// Write records first: what a client has seen is on record by then.
func (w *wire) Write(b []byte) (int, error) {
	w.record.fromServer(b)
	return w.Conn.Write(b)
}

// fail notes what the client should not have done.
func (w *wire) fail(err error) { w.record.fail(err) }

// startTLS makes the server's side of a TLS handshake. What is read and written
// from then on is in clear again.
func (w *wire) startTLS(config *tls.Config) error {
	conn := tls.Server(w.eager, config)
	w.muted = true
	if err := conn.Handshake(); err != nil {
		return err
	}
	w.Conn, w.secure, w.muted = conn, true, false
	w.record.startedTLS()
	return nil
}

// drip writes data a byte at a time, with a wait after each, or at once where
// there is no wait. It reports whether all of it was written.
func (w *wire) drip(data []byte, wait time.Duration) bool {
	if wait <= 0 {
		_, err := w.Write(data)
		return err == nil
	}
	for i := range data {
		if _, err := w.Write(data[i : i+1]); err != nil || !w.sleep(wait) {
			return false
		}
	}
	return true
}

// sleep waits for d and reports whether the client is still there.
func (w *wire) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.eager.gone:
		return false
	}
}

// hang waits until the client leaves.
func (w *wire) hang() { <-w.eager.gone }

// reset closes the connection so that the client sees a connection reset.
func (w *wire) reset() {
	if conn, ok := w.eager.Conn.(interface{ SetLinger(sec int) error }); ok {
		_ = conn.SetLinger(0)
	}
	_ = w.eager.Close()
}

// Close closes the connection. What the client had sent until then is recorded
// although nobody read it.
func (w *wire) Close() error {
	w.closeOnce.Do(func() {
		w.closeError = w.Conn.Close()
		_ = w.eager.SetReadDeadline(time.Time{})
		_, _ = io.Copy(io.Discard, w)
	})
	return w.closeError
}
