package listfile

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// TestInterruptible: the reader passes on all octets and the error after them,
// and it ends when stop is closed.
func TestInterruptible(t *testing.T) {
	broken := errors.New("broken")
	within, pipe := io.Pipe()
	go func() {
		_, _ = io.WriteString(pipe, "first ")
		_, _ = io.WriteString(pipe, "second")
		pipe.CloseWithError(broken)
	}()
	text, err := io.ReadAll(iotest.OneByteReader(interruptible(within, nil)))
	if string(text) != "first second" || !errors.Is(err, broken) {
		t.Errorf("%q, error %v", text, err)
	}

	silent, hold := io.Pipe()
	defer hold.Close()
	stop := make(chan struct{})
	reader := interruptible(silent, stop)
	close(stop)
	if n, err := reader.Read(make([]byte, 1)); n != 0 || !errors.Is(err, ErrInterrupted) {
		t.Errorf("%d octets, error %v", n, err)
	}
}
