package exchange

import (
	"errors"
	"io"
	"time"
)

// A body has to bring, and a client to take, leastSpeed octets a second on
// average, measured over each speedWindow of time that was spent on waiting for
// it. A client that sends or takes an octet now and then would hold a
// connection, and a place that others wait for, for ever.
const (
	leastSpeed  = 1 << 10
	speedWindow = 30 * time.Second
)

// ErrTooSlow ends a body that creeps.
var ErrTooSlow = errors.New("the body goes at less than 1 KiB a second")

// SpeedReader reads From. It ends a body that creeps. One goroutine at a time
// may use it.
type SpeedReader struct {
	From io.Reader

	meter meter
}

// Read implements [io.Reader]. The time that its caller takes does not count.
func (r *SpeedReader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.From.Read(p)
	return n, r.meter.note(time.Since(began), n, err)
}

// SpeedWriter writes To. It ends an answer that creeps. One goroutine at a time
// may use it.
type SpeedWriter struct {
	To io.Writer

	meter meter
}

// Write implements [io.Writer]. The time that its caller takes does not count.
func (w *SpeedWriter) Write(p []byte) (int, error) {
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
	if m.waited < speedWindow {
		return err
	}
	if err == nil && float64(m.octets) < leastSpeed*m.waited.Seconds() {
		return ErrTooSlow
	}
	*m = meter{}
	return err
}
