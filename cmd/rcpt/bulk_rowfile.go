package main

import (
	"errors"
	"fmt"
	"io"
)

// writeSize is how much is gathered before it is written. It is also written
// about once a second.
const writeSize = 64 << 10

// outputFile is what an [os.File] does for a rowFile.
type outputFile interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// rowFile is a file of rows, which are written whole, so that what is there is
// usable at any moment. It is for one goroutine at a time.
type rowFile struct {
	name    string
	file    outputFile
	regular bool // the file can be cut and synced

	buffer []byte // whole rows that are not written yet
	size   int64  // octets of the file
	rows   int64  // in the file and the buffer
	kept   int64  // rows in the file
	err    error  // after which nothing is written any more
}

// newRowFile begins a file with what stands before the first row.
func newRowFile(name string, file outputFile, regular bool, head []byte) (*rowFile, error) {
	f := &rowFile{name: name, file: file, regular: regular, buffer: head}
	return f, f.flush()
}

// add takes a row.
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

// flush writes the rows that have been gathered. A part of a row that a full
// disk still took is cut off again.
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

// keepWhole cuts a regular file behind the last buffer that was written whole.
func (f *rowFile) keepWhole(written int) {
	if f.regular && written > 0 {
		if err := f.file.Truncate(f.size); err != nil {
			f.err = errors.Join(f.err, fmt.Errorf("its last row may be incomplete: %w", bare(err)))
		}
	}
}

// close writes the rest, and brings it to the disk.
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
	return fmt.Errorf("cannot write %s: %w", f.name, bare(err))
}
