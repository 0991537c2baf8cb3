package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
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

	pending []bulk.Item   // further addresses of the row that was read last
	seen    seenAddresses // with --dedupe
	former  *formerRows   // with --retry-unknown

	mu    sync.Mutex // Next may still run when the run is over
	notes inputNotes
}

// inputNotes are what came up while a list was read.
type inputNotes struct {
	stopped    bool     // by a signal, while it waited for more
	ended      bool     // it was read to its end
	failed     error    // why it could not be read to its end
	foreign    int      // line of the first row that is not UTF-8, or 0
	merged     int      // rows that look like several
	mergedRows []string // the lines of the first of them
	repeated   int64    // rows that were left out
	rows       int64    // that were read
	octets     int64    // of those rows
}

// openInput opens the list and finds out how it is laid out. To wait for more of it ends when stop is closed.
func (c *bulkCommand) openInput(std terminal, stop <-chan struct{}) (*listInput, error) {
	former, err := c.openFormer()
	if err != nil {
		return nil, err
	}
	in := &listInput{file: std.in, former: former}
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
	if c.Dedupe {
		in.seen = seenAddresses{}
	}
	in.Reader, err = tabular.NewReader(counting{octets, &in.read}, c.readOptions(c.Input))
	return err
}

// readOptions are how a list of that name is read.
func (c *bulkCommand) readOptions(name string) tabular.Options {
	return tabular.Options{Format: tabular.FormatOf(name), Delimiter: tabular.DelimiterOf(name), Columns: c.Column}
}

func (c *bulkCommand) inputName() string {
	if c.Input == stdio {
		return "standard input"
	}
	return c.Input
}

// inputError says whose error it is, and whether the user can do something about it.
func (c *bulkCommand) inputError(err error) error {
	name := c.inputName()
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

// Next returns the next address.
func (in *listInput) Next(context.Context) (bulk.Item, error) {
	if len(in.pending) > 0 {
		next := in.pending[0]
		in.pending = in.pending[1:]
		return next, nil
	}
	row, err := in.nextRow()
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
	in.noteRow(row)
	items := in.items(row)
	in.pending = items[1:]
	return items[0], nil
}

// nextRow reads the next row that is to be in the output.
func (in *listInput) nextRow() (tabular.Row, error) {
	for {
		row, err := in.Reader.Next()
		if err != nil || in.seen == nil || !in.seen.repeats(row) {
			return row, err
		}
		in.note(func(n *inputNotes) { n.repeated++ })
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

func (in *listInput) close() {
	_ = in.file.Close()
	in.former.close()
}

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
