// Package linebuffer writes the lines of a log together. A server that answers
// from memory would spend a tenth of its time on writing them one by one.
//
// A line waits for others for at most a hundredth of a second. Waiting lines
// are lost if the process is killed, so this is for ordinary events, such as
// requests.
package linebuffer

import (
	"io"
	"sync"
	"time"
)

const (
	// maxDelay is how long a line waits: too short for people to notice.
	maxDelay = 10 * time.Millisecond
	// enough is how many octets do not wait any longer.
	enough = 32 << 10
)

// Writer passes on what is written to it, in order, and in whole lines if it
// gets such. It is safe for concurrent use.
type Writer struct {
	to      io.Writer
	mu      sync.Mutex
	waiting []byte
	alarm   *time.Timer // nil: nothing has been written yet
}

// New returns a Writer that writes to to. The last lines need a [Writer.Flush].
func New(to io.Writer) *Writer { return &Writer{to: to} }

// Write takes a line. The error is that of writing the waiting lines, if it was
// time for that.
func (w *Writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.alarm == nil:
		w.alarm = time.AfterFunc(maxDelay, func() { _ = w.Flush() })
	case len(w.waiting) == 0:
		w.alarm.Reset(maxDelay)
	}
	w.waiting = append(w.waiting, line...)
	if len(w.waiting) < enough {
		return len(line), nil
	}
	return len(line), w.handOn()
}

// Flush writes what waits.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.handOn()
}

func (w *Writer) handOn() error {
	if len(w.waiting) == 0 {
		return nil
	}
	_, err := w.to.Write(w.waiting)
	w.waiting = w.waiting[:0]
	return err
}
