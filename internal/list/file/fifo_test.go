//go:build unix

package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNamedPipe: opening a named pipe without a writer ends when the run is
// stopped.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "list.csv")
	check(t, syscall.Mkfifo(pipe, 0o600))
	stop := make(chan struct{})
	ended := make(chan error)
	go func() {
		_, err := openUntil(stop, pipe)
		ended <- err
	}()
	close(stop)
	if err := <-ended; err != ErrInterrupted {
		t.Errorf("%v, want %v", err, ErrInterrupted)
	}
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // lets the open that waits return
	check(t, err)
	writer.Close()
}
