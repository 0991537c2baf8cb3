// Package leastspeed reads bodies of requests that may take long, and ends
// those that creep: a client that sends an octet now and then would hold a
// connection and a file for ever.
package leastspeed

import (
	"errors"
	"io"
	"time"
)

// A body has to bring PerSecond octets on average, measured over each Window of
// time that was spent on waiting for it.
const (
	PerSecond = 1 << 10
	Window    = 30 * time.Second
)

// ErrTooSlow ends a body that creeps.
var ErrTooSlow = errors.New("the body arrives at less than 1 KiB a second")

// Reader reads From. One goroutine at a time may use it.
type Reader struct {
	From io.Reader

	waited time.Duration // in the present window
	got    int
}

// Read implements [io.Reader]. The time that its caller takes does not count.
func (r *Reader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.From.Read(p)
	r.waited += time.Since(began)
	r.got += n
	if r.waited < Window {
		return n, err
	}
	if err == nil && float64(r.got) < PerSecond*r.waited.Seconds() {
		return n, ErrTooSlow
	}
	r.waited, r.got = 0, 0
	return n, err
}
