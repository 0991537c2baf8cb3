package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

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
	sheet   *sheetText         // nil: it is no spreadsheet
	planned map[string]planned // by the text of the format
}

// planned is what a reading found.
type planned struct {
	Plan
	err error // [ErrNoAddress] or [ErrTooLarge]; it would be the same again
}

// sheetText is the text of a sheet of a spreadsheet.
type sheetText struct {
	*Spool
	all   []list.Sheet // of the spreadsheet
	of    list.Format  // what the file is
	found string       // the one that is read where none is chosen
}

// newSheet returns the sheet of a spreadsheet that is read.
func newSheet(text *Spool, from *list.Text) *sheetText {
	s := &sheetText{Spool: text, all: from.Sheets(), of: from.Table()}
	s.found = s.name()
	return s
}

func (s *sheetText) name() string {
	return s.all[slices.IndexFunc(s.all, func(one list.Sheet) bool { return one.Read })].Name
}

// Receive writes a list to a temporary file, which only its owner can read and
// which has no name where the system allows that. A list that is compressed is
// unpacked; a spreadsheet stays as it is, and the sheet that holds addresses
// becomes CSV in another file. The error is [ErrTooLarge], a *[ListError], a
// *[DiskError], or that of body.
func (m *Manager) Receive(ctx context.Context, body io.Reader) (*Spool, error) {
	s, err := m.keep(ctx, body)
	if err != nil {
		return nil, err
	}
	return m.recognise(ctx, s)
}

// recognise makes a spool of a file that may be compressed or a spreadsheet. It
// closes the file on an error.
func (m *Manager) recognise(ctx context.Context, s *Spool) (*Spool, error) {
	text, err := m.plainText(s, "")
	if err != nil {
		s.Close()
		return nil, err
	}
	defer text.Close()
	if text.Packing == list.Plain && !text.IsSheet() {
		return s, nil
	}
	plain, err := m.keepText(ctx, text)
	switch {
	case err != nil:
		s.Close()
		return nil, err
	case text.IsSheet():
		s.sheet = newSheet(plain, text)
		return s, nil
	}
	plain.digest = s.digest
	s.Close()
	return plain, nil
}

// choose makes a sheet the one that is read; an empty name is that of the sheet
// which was found.
func (m *Manager) choose(ctx context.Context, s *Spool, name string) error {
	if name = cmp.Or(name, s.sheet.found); strings.EqualFold(name, s.sheet.name()) {
		return nil
	}
	text, err := m.plainText(s, name)
	if err != nil {
		return err
	}
	defer text.Close()
	plain, err := m.keepText(ctx, text)
	if err != nil {
		return err
	}
	s.sheet.Close()
	s.sheet.Spool, s.sheet.all = plain, text.Sheets()
	return nil
}

func (m *Manager) plainText(s *Spool, sheet string) (*list.Text, error) {
	text, err := list.PlainText(s.Reader(), list.Options{Folder: m.config.TempDir, Sheet: sheet})
	if err != nil {
		return nil, readFault(err)
	}
	return text, nil
}

// keepText writes what becomes of a list to a temporary file.
func (m *Manager) keepText(ctx context.Context, text *list.Text) (*Spool, error) {
	plain, err := m.keep(ctx, text)
	if err != nil && !errors.Is(err, ErrTooLarge) && !errors.As(err, new(*DiskError)) && ctx.Err() == nil {
		err = readFault(err)
	}
	return plain, err
}

// text returns the text of a list that is read in a format, and the format of
// the text.
func (m *Manager) text(ctx context.Context, s *Spool, f Format) (*Spool, Format, error) {
	if s.sheet == nil {
		return s, f, nil
	}
	if err := m.choose(ctx, s, f.Sheet); err != nil {
		return nil, f, err
	}
	f.Format, f.Delimiter, f.Sheet, f.SheetText = list.CSV, ',', s.sheet.name(), true
	return s.sheet.Spool, f, nil
}

// sheets returns the sheets of a spreadsheet.
func (s *Spool) sheets() []list.Sheet {
	if s.sheet == nil {
		return nil
	}
	return s.sheet.all
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

// Reader reads the list as it is kept, from its beginning.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

// Close removes the files.
func (s *Spool) Close() {
	discard(s.file)
	if s.sheet != nil {
		s.sheet.Close()
	}
}
