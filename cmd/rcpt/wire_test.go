//go:build unix

package main

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// wire is between a server and PostgreSQL, and can be cut.
type wire struct {
	url    string // the database, through it
	socket string

	mu    sync.Mutex
	state wireState
	moved *sync.Cond // state has changed
	open  map[net.Conn]bool
}

type wireState int

const (
	wireWhole   wireState = iota
	wireSilent            // connections stay and are accepted, no octet passes
	wireRefused           // connections are closed
)

// startWire makes a wire to a database of a [storetest.Cluster], which listens
// on a socket in its folder.
func startWire(t *testing.T, database string) *wire {
	t.Helper()
	to, err := url.Parse(database)
	check(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	w := &wire{socket: filepath.Join(to.Query().Get("host"), ".s.PGSQL.5432"), open: make(map[net.Conn]bool)}
	w.moved = sync.NewCond(&w.mu)
	to.Host, to.RawQuery = listener.Addr().String(), "sslmode=disable"
	w.url = to.String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.serve(conn)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		w.set(wireRefused)
	})
	return w
}

// set cuts the wire or mends it.
func (w *wire) set(state wireState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = state
	w.moved.Broadcast()
	if state == wireRefused {
		for conn := range w.open {
			_ = conn.Close()
		}
	}
}

// pass waits while the wire is silent; false: it is to be closed.
func (w *wire) pass() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.state == wireSilent {
		w.moved.Wait()
	}
	return w.state == wireWhole
}

func (w *wire) serve(client net.Conn) {
	defer w.close(client)
	if !w.hold(client) || !w.pass() {
		return
	}
	database, err := net.Dial("unix", w.socket)
	if err != nil {
		return
	}
	defer w.close(database)
	if !w.hold(database) {
		return
	}
	go func() {
		w.copy(database, client)
		w.close(database)
	}()
	w.copy(client, database)
}

// hold notes a connection, so that it is closed when the wire is.
func (w *wire) hold(conn net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[conn] = true
	return w.state != wireRefused
}

func (w *wire) close(conn net.Conn) {
	_ = conn.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, conn)
}

func (w *wire) copy(to io.Writer, from io.Reader) {
	octets := make([]byte, 32<<10)
	for {
		n, err := from.Read(octets)
		if !w.pass() {
			return
		}
		if _, failed := to.Write(octets[:n]); err != nil || failed != nil {
			return
		}
	}
}
