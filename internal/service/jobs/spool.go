package jobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// ErrTooLarge means that a list is larger than [Limits] allow.
var ErrTooLarge = errors.New("the list is too large")

// SizeError means that a list has too many octets. It is an [ErrTooLarge].
type SizeError struct{ Most int64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: it has more than %d octets", ErrTooLarge, e.Most)
}

func (e *SizeError) Unwrap() error { return ErrTooLarge }

// DiskError means that a list cannot be kept on the disk at the moment: it is
// full, for example.
type DiskError struct{ Err error }

func (e *DiskError) Error() string { return "the list cannot be kept: " + e.Err.Error() }

func (e *DiskError) Unwrap() error { return e.Err }

// Spool is a list that has arrived, in a temporary file. One goroutine at a
// time may use it.
type Spool struct {
	file    *os.File
	size    int64
	digest  hash.Hash          // of what was sent
	sheet   bool               // it was a spreadsheet
	planned map[string]planned // by the text of the format
}

// planned is what a reading found.
type planned struct {
	Plan
	err error // [ErrNoAddress] or [ErrTooLarge]; it would be the same again
}

// Receive writes a list to a temporary file, which only its owner can read and
// which has no name where the system allows that. A list that is compressed is
// unpacked, and the sheet of a spreadsheet that holds addresses becomes CSV.
// The error is [ErrTooLarge], a *[ListError], a *[DiskError], or that of body.
func (m *Manager) Receive(ctx context.Context, body io.Reader) (*Spool, error) {
	s, err := m.keep(ctx, body)
	if err != nil {
		return nil, err
	}
	text, err := list.PlainText(s.Reader(), list.Options{Folder: m.config.TempDir})
	if err != nil {
		s.Close()
		return nil, readFault(err)
	}
	defer text.Close()
	if text.Packing == list.Plain && !text.IsSheet() {
		return s, nil
	}
	defer s.Close()
	plain, err := m.keep(ctx, text)
	if err != nil {
		if !errors.Is(err, ErrTooLarge) && !errors.As(err, new(*DiskError)) && ctx.Err() == nil {
			err = readFault(err)
		}
		return nil, err
	}
	plain.digest, plain.sheet = s.digest, text.IsSheet()
	return plain, nil
}

// readFault is an error of reading a list that has arrived: that of a temporary
// file, or of the list itself.
func readFault(err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return &DiskError{err}
	}
	return &ListError{err}
}

// keep writes octets to a temporary file.
func (m *Manager) keep(ctx context.Context, body io.Reader) (*Spool, error) {
	file, err := temporary(m.config.TempDir)
	if err != nil {
		return nil, &DiskError{err}
	}
	s := &Spool{file: file, digest: sha256.New()}
	disk := &diskWriter{to: file}
	s.size, err = io.Copy(io.MultiWriter(disk, s.digest), io.LimitReader(body, m.config.Limits.Octets+1))
	switch {
	case disk.err != nil:
		err = &DiskError{disk.err}
	case err == nil && s.size > m.config.Limits.Octets:
		err = &SizeError{m.config.Limits.Octets}
	case err == nil:
		err = ctx.Err()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// diskWriter keeps an error of the disk apart from those of the reader.
type diskWriter struct {
	to  io.Writer
	err error
}

func (w *diskWriter) Write(octets []byte) (int, error) {
	n, err := w.to.Write(octets)
	if err != nil {
		w.err = err
	}
	return n, err
}

// temporary creates a file that vanishes with the process.
func temporary(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "rcpt-list-*")
	if err == nil {
		_ = os.Remove(file.Name()) // where it cannot be removed, Close does
	}
	return file, err
}

func discard(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

// Digest identifies what was received together with other texts, such as how it
// is to be read.
func (s *Spool) Digest(with ...string) rows.Hash {
	all := sha256.New()
	all.Write(s.digest.Sum(nil))
	for _, text := range with {
		fmt.Fprintf(all, "%d:%s", len(text), text)
	}
	return rows.Hash(all.Sum(nil))
}

// Size is the number of octets.
func (s *Spool) Size() int64 { return s.size }

// Reader reads the list from its beginning.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

// Close removes the file.
func (s *Spool) Close() { discard(s.file) }
