// Package spool keeps octets that are read more than once: the first in memory,
// all of them in a temporary file once they are more.
package spool

import (
	"errors"
	"io"
	"os"
)

// inMemory is how much of a spool stays in memory.
const inMemory = 4 << 20

// Spool keeps octets.
type Spool struct {
	Folder string // of the file; "": that for temporary files
	memory []byte
	file   *os.File // nil: in memory
	size   int64
}

// Of reads all of r into a spool. Close the Spool.
func Of(r io.Reader, folder string) (*Spool, error) {
	s := &Spool{Folder: folder}
	if _, err := io.Copy(s, r); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Write adds octets at the end.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(p) > inMemory {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	n := len(p)
	if s.file == nil {
		s.memory = append(s.memory, p...)
	} else {
		var err error
		if n, err = s.file.Write(p); err != nil {
			return n, err
		}
	}
	s.size += int64(n)
	return n, nil
}

func (s *Spool) toFile() error {
	file, err := os.CreateTemp(s.Folder, "rcpt-*.tmp")
	if err != nil {
		return err
	}
	_ = os.Remove(file.Name()) // on Unix it lives until it is closed, even if the process dies
	s.file = file
	_, err = file.Write(s.memory)
	s.memory = nil
	return err
}

// ReadAt is that of [io.ReaderAt].
func (s *Spool) ReadAt(p []byte, at int64) (int, error) {
	switch {
	case s.file != nil:
		return s.file.ReadAt(p, at)
	case at < 0 || at > int64(len(s.memory)):
		return 0, io.EOF
	}
	n := copy(p, s.memory[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size is the number of octets.
func (s *Spool) Size() int64 { return s.size }

// Close removes the file.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if removed := os.Remove(s.file.Name()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}
