package file

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// writeSize is how much is gathered before it is written. The command also
// flushes about once a second.
const writeSize = 64 << 10

// outputFile is the part of [os.File] that a rowFile uses.
type outputFile interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// rowFile is a file of rows, which are written whole. It is not safe for
// concurrent use.
type rowFile struct {
	name    string
	file    outputFile
	regular bool // the file can be truncated and synced

	buffer []byte // whole rows that are not written yet
	size   int64  // octets of the file
	rows   int64  // in the file and the buffer
	kept   int64  // rows in the file
	err    error  // after which nothing more is written
}

// newRowFile begins a file with the text before its first row.
func newRowFile(name string, file outputFile, regular bool, head []byte) (*rowFile, error) {
	f := &rowFile{name: name, file: file, regular: regular, buffer: head}
	return f, f.flush()
}

// add adds a row.
func (f *rowFile) add(row []byte) error {
	if f.err != nil {
		return f.err
	}
	f.buffer = append(f.buffer, row...)
	f.rows++
	if len(f.buffer) < writeSize {
		return nil
	}
	return f.flush()
}

// flush writes the rows of the buffer. If a full disk takes only a part of a
// row, that part is removed again.
func (f *rowFile) flush() error {
	if f.err != nil || len(f.buffer) == 0 {
		return f.err
	}
	n, err := f.file.Write(f.buffer)
	if err != nil {
		f.err = f.failed(err)
		f.keepWhole(n)
		return f.err
	}
	f.size += int64(n)
	f.kept = f.rows
	f.buffer = f.buffer[:0]
	return nil
}

// keepWhole truncates a regular file to the buffers that were written whole.
func (f *rowFile) keepWhole(written int) {
	if f.regular && written > 0 {
		if err := f.file.Truncate(f.size); err != nil {
			f.err = errors.Join(f.err, fmt.Errorf("its last row may be incomplete: %w", wholefile.WithoutPath(err)))
		}
	}
}

// close writes the rest and syncs the file.
func (f *rowFile) close() error {
	err := f.flush()
	if err == nil && f.regular {
		err = f.failed(f.file.Sync())
	}
	if closeErr := f.failed(f.file.Close()); err == nil {
		err = closeErr
	}
	f.err = err
	return err
}

func (f *rowFile) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", f.name, wholefile.WithoutPath(err))
}

// terminalFile is a terminal that rows are written to. The cells of a list are
// not trusted: its control characters are replaced.
type terminalFile struct{ *os.File }

// Write writes whole rows.
func (f terminalFile) Write(rows []byte) (int, error) {
	if _, err := f.File.WriteString(tty.PrintableRows(string(rows))); err != nil {
		return 0, err
	}
	return len(rows), nil
}
