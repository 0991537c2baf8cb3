package wire

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch sees that what is done on a connection ends when its watch says so,
// even where the connection is opened only after that, and that a watch that
// has stopped leaves later deadlines alone.
func TestWatch(t *testing.T) {
	client, server := net.Pipe()
	defer func() { _, _ = client.Close(), server.Close() }()
	read := func() error {
		_, err := client.Read(make([]byte, 1))
		return err
	}
	var w watch
	w.over(client)
	ended := make(chan error)
	go func() { ended <- read() }()
	w.end()
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read under way ended with %v", err)
	}
	_ = client.SetDeadline(time.Time{})
	w.over(client)
	if err := read(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("on a connection opened after the end, a read ended with %v", err)
	}
	_ = client.SetDeadline(time.Time{})
	w.stop()
	w.end()
	go func() { _, _ = server.Write([]byte{1}) }()
	if err := read(); err != nil {
		t.Errorf("after the watch, a read ended with %v", err)
	}
}

// TestRest sees that an idle connection is woken, also before it rests, and
// that it notices a host that speaks or hangs up.
func TestRest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		while func(c *Conn, server net.Conn)
		quiet bool
	}{
		{"woken", func(c *Conn, _ net.Conn) { c.Wake() }, true},
		{"woken twice", func(c *Conn, _ net.Conn) { c.Wake(); c.Wake() }, true},
		{"interrupted", func(c *Conn, _ net.Conn) { c.Interrupt() }, true},
		{"spoken to", func(_ *Conn, server net.Conn) { _, _ = server.Write([]byte("421 bye\r\n")) }, false},
		{"ended", func(_ *Conn, server net.Conn) { _ = server.Close() }, false},
	} {
		for _, before := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				defer func() { _, _ = client.Close(), server.Close() }()
				c := New(Config{}, Peer{}, time.Time{})
				c.stream = newStream(client, &c.log)
				c.watch.over(client)
				if !before {
					time.AfterFunc(time.Second, func() { tt.while(c, server) })
				} else {
					go tt.while(c, server)
					synctest.Wait()
				}
				if quiet := c.Rest(); quiet != tt.quiet {
					t.Errorf("%s, before %t: quiet %t, want %t", tt.name, before, quiet, tt.quiet)
				}
			})
		}
	}
}
