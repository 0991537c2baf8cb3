package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine"
)

// writeSize is how much is gathered before it is written. It is also written about once a second.
const writeSize = 64 << 10

// outputFile is what an [os.File] does for a listOutput.
type outputFile interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// listOutput is the list with its results. It is a [bulk.Sink]. Rows are written whole, so that what is there is usable at any moment.
type listOutput struct {
	writer  *tabular.Writer
	name    string
	file    outputFile
	regular bool // the file can be cut and synced

	mu     sync.Mutex
	buffer []byte // whole rows that are not written yet
	size   int64  // octets of the file
	rows   int64  // in the file and the buffer
	kept   int64  // rows in the file
	err    error  // after which nothing is written any more
}

// outputFormat is the form of the output: by its name, or on standard output that of the list.
func (c *bulkCommand) outputFormat(list tabular.Format) (tabular.Output, error) {
	out := tabular.Output{Format: tabular.FormatOf(c.Output), Delimiter: tabular.DelimiterOf(c.Output), Details: c.Details, Raw: c.CSVRaw}
	switch {
	case !c.toStdout() && (out.Format == tabular.CSV || out.Format == tabular.JSONLines):
	case !c.toStdout():
		return out, usage(fmt.Errorf("--output %s: choose a name that ends with .csv, .tsv or .jsonl: it says what to write", c.Output))
	case c.JSON || list == tabular.JSONLines:
		out.Format = tabular.JSONLines
	default:
		out.Format = tabular.CSV
	}
	return out, nil
}

func (c *bulkCommand) toStdout() bool { return c.Output == "" || c.Output == stdio }

// openOutput opens the output, which must not be there yet, nor be the input, and writes what comes before the first row.
func (c *bulkCommand) openOutput(std terminal, in *listInput, writer *tabular.Writer) (*listOutput, error) {
	out := &listOutput{writer: writer, name: "standard output", buffer: writer.Head()}
	file := std.out
	if !c.toStdout() {
		out.name = c.Output
		if err := c.mayWrite(in.file); err != nil {
			return nil, usage(fmt.Errorf("--output %s: %w", c.Output, err))
		}
		var err error
		if file, err = os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666); err != nil {
			return nil, usage(fmt.Errorf("--output %s: %w", c.Output, bare(err)))
		}
	} else if sameFile(in.file, std.out) {
		return nil, usage(errors.New("standard output is the input: choose another file"))
	}
	info, err := file.Stat()
	out.file, out.regular = file, err == nil && info.Mode().IsRegular() && !c.toStdout()
	return out, out.flush()
}

// mayWrite says why the output file cannot be written.
func (c *bulkCommand) mayWrite(input *os.File) error {
	there, err := os.Stat(c.Output)
	if err != nil {
		return nil // to open it will tell
	}
	read, err := input.Stat()
	switch {
	case err == nil && os.SameFile(read, there):
		return errors.New("is the input: choose another name")
	case there.IsDir():
		return errors.New("is a directory")
	case there.Size() > 0 && !c.Overwrite:
		return errors.New("is there already and not empty: choose another name, or --overwrite it")
	}
	return nil
}

func sameFile(a, b *os.File) bool {
	first, err := a.Stat()
	if err != nil || !first.Mode().IsRegular() {
		return false
	}
	second, err := b.Stat()
	return err == nil && os.SameFile(first, second)
}

// Write takes a row with its result.
func (o *listOutput) Write(item bulk.Item, result engine.Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	o.buffer = o.writer.Append(o.buffer, string(item.Row), result)
	o.rows++
	if len(o.buffer) < writeSize {
		return nil
	}
	return o.writeOut()
}

// flush writes the rows that have been gathered.
func (o *listOutput) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writeOut()
}

// writeOut writes the buffer. A part of a row that a full disk still took is cut off again.
func (o *listOutput) writeOut() error {
	if o.err != nil || len(o.buffer) == 0 {
		return o.err
	}
	n, err := o.file.Write(o.buffer)
	if err != nil {
		o.err = o.failed(err)
		o.keepWhole(n)
		return o.err
	}
	o.size += int64(n)
	o.kept = o.rows
	o.buffer = o.buffer[:0]
	return nil
}

// keepWhole cuts a regular file behind the last buffer that was written whole.
func (o *listOutput) keepWhole(written int) {
	if o.regular && written > 0 {
		if err := o.file.Truncate(o.size); err != nil {
			o.err = errors.Join(o.err, fmt.Errorf("its last row may be incomplete: %w", bare(err)))
		}
	}
}

// close writes the rest, and returns how many rows are in the file.
func (o *listOutput) close() (rows int64, err error) {
	err = o.flush()
	if err == nil && o.regular {
		err = o.failed(o.file.Sync())
	}
	if closeErr := o.failed(o.file.Close()); err == nil {
		err = closeErr
	}
	return o.kept, err
}

func (o *listOutput) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", o.name, bare(err))
}
