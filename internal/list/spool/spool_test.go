package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSpool: what does not fit in memory is in a file, which is removed.
func TestSpool(t *testing.T) {
	folder := t.TempDir()
	s := &Spool{Folder: folder}
	part := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	for range 2*inMemory/len(part) + 1 {
		_, err := s.Write(part)
		check(t, err)
	}
	if s.file == nil || s.memory != nil {
		t.Error("the octets are in memory")
	}
	got := make([]byte, 16)
	for _, at := range []int64{0, inMemory - 16, s.size - 16} {
		if _, err := s.ReadAt(got, at); err != nil || string(got) != "0123456789abcdef" {
			t.Errorf("at %d: %q, %v", at, got, err)
		}
	}
	if n, err := s.ReadAt(got, s.size-8); n != 8 || !errors.Is(err, io.EOF) {
		t.Errorf("%d octets at the end, %v", n, err)
	}
	check(t, s.Close())
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
