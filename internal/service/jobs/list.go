package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rcpt/rcpt/internal/list"
)

// Format says how the rows of a list are read.
type Format struct {
	Format    list.Format `json:"format,omitempty"`    // guessed when empty
	Delimiter byte        `json:"delimiter,omitempty"` // of CSV; guessed when 0
	Column    string      `json:"column,omitempty"`    // of the addresses; guessed when empty
	Sheet     bool        `json:"sheet,omitempty"`     // it is the text of a spreadsheet
}

func (f Format) options() list.Options {
	o := list.Options{Format: f.Format, Delimiter: f.Delimiter, SheetText: f.Sheet}
	if f.Column != "" {
		o.Columns = []string{f.Column}
	}
	return o
}

func (f Format) text() string {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // it has nothing that JSON cannot hold
	}
	return string(text)
}

// ListError says why a list cannot be read. It names the line.
type ListError struct{ Err error }

func (e *ListError) Error() string { return e.Err.Error() }

func (e *ListError) Unwrap() error { return e.Err }

// listReader reads the rows of a list.
type listReader struct {
	*list.Reader
	limits Limits
	rows   int64
}

func openList(text io.Reader, f Format, limits Limits) (*listReader, error) {
	reader, err := list.NewReader(text, f.options())
	if err != nil {
		return nil, &ListError{err}
	}
	return &listReader{Reader: reader, limits: limits}, nil
}

// next returns the next row without its source, and the key and domain of its
// address; [io.EOF] ends the list.
func (l *listReader) next() (r row, k key, domain string, err error) {
	read, err := l.Next()
	if errors.Is(err, io.EOF) {
		return r, k, "", io.EOF
	}
	if err != nil {
		return r, k, "", &ListError{err}
	}
	if l.rows++; l.rows > l.limits.Rows {
		return r, k, "", fmt.Errorf("%w: it has more than %d rows", ErrTooLarge, l.limits.Rows)
	}
	if read.Columns > l.limits.Columns {
		return r, k, "", fmt.Errorf("%w: its %s %d has %d columns, %d are allowed",
			ErrTooLarge, l.Unit(), read.Line, read.Columns, l.limits.Columns)
	}
	held, text := read.Held(0)
	r.raw, r.kind, r.text = read.Raw, kinds[held], text
	if r.kind == kindAddress {
		k, domain = identify(text)
	}
	return r, k, domain, nil
}

// reopen finds the format of a stored list again, for writing its rows.
func reopen(head []byte, format string) (*list.Reader, error) {
	octets, err := headOf(format).unpack(head)
	if err != nil {
		return nil, err
	}
	var f Format
	if err := json.Unmarshal([]byte(format), &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return list.NewReader(bytes.NewReader(octets), f.options())
}
