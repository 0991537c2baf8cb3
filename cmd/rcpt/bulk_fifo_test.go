//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestBulkWaitsForNobody: a named pipe that nobody writes to does not keep the command from ending.
func TestBulkWaitsForNobody(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "list.csv")
	check(t, syscall.Mkfifo(pipe, 0o600))
	stop := make(chan struct{})
	ended := make(chan error)
	go func() {
		_, err := openUntil(stop, pipe)
		ended <- err
	}()
	close(stop)
	if err := <-ended; err != errInterrupted {
		t.Errorf("%v, want %v", err, errInterrupted)
	}
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // lets the one that waits go
	check(t, err)
	writer.Close()
}
