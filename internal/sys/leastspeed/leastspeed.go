// Package leastspeed reads bodies of requests that may take long, writes
// answers that may, and ends those that creep: a client that sends or takes an
// octet now and then would hold a connection, and a place that others wait for,
// for ever.
package leastspeed

import (
	"errors"
	"io"
	"time"
)

// A body has to bring, and a client to take, PerSecond octets on average,
// measured over each Window of time that was spent on waiting for it.
const (
	PerSecond = 1 << 10
	Window    = 30 * time.Second
)

// ErrTooSlow ends a body that creeps.
var ErrTooSlow = errors.New("the body goes at less than 1 KiB a second")

// Reader reads From. One goroutine at a time may use it.
type Reader struct {
	From io.Reader

	meter meter
}

// Read implements [io.Reader]. The time that its caller takes does not count.
func (r *Reader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.From.Read(p)
	return n, r.meter.note(time.Since(began), n, err)
}

// Writer writes To. One goroutine at a time may use it.
type Writer struct {
	To io.Writer

	meter meter
}

// Write implements [io.Writer]. The time that its caller takes does not count.
func (w *Writer) Write(p []byte) (int, error) {
	began := time.Now()
	n, err := w.To.Write(p)
	return n, w.meter.note(time.Since(began), n, err)
}

// meter measures the speed in the present window.
type meter struct {
	waited time.Duration
	octets int
}

// note counts octets that took a while. The error is that of their transfer, or
// [ErrTooSlow] at the end of a window.
func (m *meter) note(took time.Duration, octets int, err error) error {
	m.waited += took
	m.octets += octets
	if m.waited < Window {
		return err
	}
	if err == nil && float64(m.octets) < PerSecond*m.waited.Seconds() {
		return ErrTooSlow
	}
	*m = meter{}
	return err
}
