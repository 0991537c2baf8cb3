package file

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
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

// TestPipeOfARunThatEnds: Next does not wait for a pipe longer than the run
// that reads from it.
func TestPipeOfARunThatEnds(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	go func() { _, _ = io.WriteString(write, strings.Repeat("a@example.com\n", 100_000)) }()
	in, err := OpenInput(InputOptions{Stdin: read, Stop: make(chan struct{})})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	for err == nil {
		_, err = in.Next(ctx)
	}
	if !errors.Is(err, context.Canceled) || in.Notes().Stopped {
		t.Errorf("error %v, notes %+v", err, in.Notes())
	}
}
