package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine/address"
)

// stdio is the name of standard input and standard output.
const stdio = "-"

// errInterrupted is the error of a run that a signal ended.
var errInterrupted = errors.New("interrupted")

// listInput is the list to verify. It is a [bulk.Source].
type listInput struct {
	*tabular.Reader
	file *os.File
	size int64        // in octets; 0 where it is not known
	read atomic.Int64 // octets so far

	mu    sync.Mutex // Next may still run when the run is over
	notes inputNotes
}

// inputNotes are what came up while a list was read.
type inputNotes struct {
	stopped bool  // by a signal, while it waited for more
	ended   bool  // it was read to its end
	failed  error // why it could not be read to its end
	foreign int   // line of the first row that is not UTF-8, or 0
	rows    int64 // that were read
	octets  int64 // of those rows
}

// openInput opens the list and finds out how it is laid out. To wait for more of it ends when stop is closed.
func (c *bulkCommand) openInput(std terminal, stop <-chan struct{}) (*listInput, error) {
	in := &listInput{file: std.in}
	if c.Input != stdio {
		file, err := openUntil(stop, c.Input)
		if errors.Is(err, errInterrupted) {
			return nil, err
		}
		if err != nil {
			return nil, usage(fmt.Errorf("%s: %w", c.Input, bare(err)))
		}
		in.file = file
	}
	if err := in.begin(c, stop); err != nil {
		in.close()
		return nil, c.inputError(err)
	}
	return in, nil
}

// openUntil opens a file, unless stop is closed before: a named pipe opens only when somebody writes to it.
func openUntil(stop <-chan struct{}, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	result := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		result <- opened{file, err}
	}()
	select {
	case it := <-result:
		return it.file, it.err
	case <-stop:
		return nil, errInterrupted
	}
}

func (in *listInput) begin(c *bulkCommand, stop <-chan struct{}) error {
	info, err := in.file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return usage(errors.New("is a directory"))
	}
	var octets io.Reader = in.file
	if info.Mode().IsRegular() {
		in.size = info.Size()
	} else {
		octets = interruptible(in.file, stop)
	}
	options := tabular.Options{Format: tabular.FormatOf(c.Input), Delimiter: tabular.DelimiterOf(c.Input), Column: c.Column}
	in.Reader, err = tabular.NewReader(counting{octets, &in.read}, options)
	return err
}

// inputError says whose error it is, and whether the user can do something about it.
func (c *bulkCommand) inputError(err error) error {
	name := c.Input
	if name == stdio {
		name = "standard input"
	}
	var wrong *tabular.FormatError
	switch {
	case errors.Is(err, errInterrupted):
		return err
	case errors.As(err, &wrong):
		return usage(fmt.Errorf("%s: %w", name, err))
	}
	return fmt.Errorf("%s: %w", name, bare(err))
}

// bare leaves out what the error of a file repeats: what was tried, and the name.
func bare(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Next returns the next row.
func (in *listInput) Next(context.Context) (bulk.Item, error) {
	row, err := in.Reader.Next()
	switch {
	case errors.Is(err, io.EOF):
		in.note(func(n *inputNotes) { n.ended = true })
		return bulk.Item{}, err
	case errors.Is(err, errInterrupted):
		in.note(func(n *inputNotes) { n.stopped = true })
		return bulk.Item{}, io.EOF
	case err != nil:
		in.note(func(n *inputNotes) { n.failed = err })
		return bulk.Item{}, err
	}
	in.note(func(n *inputNotes) {
		n.rows++
		n.octets += int64(len(row.Raw))
		if row.Foreign {
			n.foreign = cmp.Or(n.foreign, row.Line)
		}
	})
	return bulk.Item{Email: toVerify(row), Row: []byte(row.Raw)}, nil
}

// toVerify is what is verified of a row: the address that its cell means. It is a copy, since results are kept for duplicates, and the cell is a part
// of the whole row.
func toVerify(row tabular.Row) string {
	if row.Err != nil {
		return unreadableMark + row.Err.Error()
	}
	switch cleaned := address.Clean(row.Address); cleaned.Kind {
	case address.CleanSeveral:
		return severalMark + row.Address
	case address.CleanEmpty:
		return emptyMark + row.Address
	default:
		return strings.Clone(cleaned.Address)
	}
}

func (in *listInput) note(take func(*inputNotes)) inputNotes {
	in.mu.Lock()
	defer in.mu.Unlock()
	take(&in.notes)
	return in.notes
}

// came returns what came up so far.
func (in *listInput) came() inputNotes { return in.note(func(*inputNotes) {}) }

// total is how many rows the list has, as far as that is known.
func (in *listInput) total() listTotal {
	notes := in.came()
	return totalOf(notes.rows, notes.octets, in.read.Load(), in.size, notes.ended)
}

// unreadable tells whether the list itself is why it was not read to its end, so that to read it again would bring the same.
func (in *listInput) unreadable() bool {
	failed := in.came().failed
	return failed != nil && !errors.As(failed, new(*fs.PathError))
}

func (in *listInput) close() { _ = in.file.Close() }

// counting counts the octets that are read.
type counting struct {
	from io.Reader
	read *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read.Add(int64(n))
	return n, err
}
