package wire

import (
	"errors"
	"net"
	"os"
	"testing"
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
