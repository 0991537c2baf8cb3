package list

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxRow bounds a row, and so each of its fields. A cell of a spreadsheet holds
// at most 32 KiB. Without a bound, a quote that is never closed would make the
// rest of the file one row.
const MaxRow = 1 << 20

// MaxColumns bounds the columns of CSV. No spreadsheet has more, and a column
// takes more memory than its octets.
const MaxColumns = 1 << 14

// rowReader splits a text into rows.
type rowReader struct {
	text      *bufio.Reader
	delimiter byte // of CSV, whose rows may have several lines; 0: a row is a line
	line      int  // first line of the last row, from 1
	lines     int  // read so far
	columns   int  // seen so far in the present row
	sheet     bool // a row counts as one line, even if a cell has line breaks
}

// read returns the next row that is not blank, with its line end. It does not
// return a row that an error other than [io.EOF] cuts off.
func (r *rowReader) read() (string, error) {
	for {
		row, err := r.next()
		if err != nil || !r.blank(row) {
			return row, err
		}
	}
}

// next returns the next row, even if it is blank.
func (r *rowReader) next() (string, error) {
	row, err := r.readAny()
	if r.sheet {
		r.lines = r.line
	}
	return row, err
}

// blank reports whether a row is an empty line. In CSV a tab may be a delimiter
// between empty cells.
func (r *rowReader) blank(row string) bool {
	if r.delimiter == 0 {
		return strings.TrimSpace(row) == ""
	}
	return strings.Trim(row, " \r\n") == ""
}

func (r *rowReader) readAny() (string, error) {
	r.line, r.columns = r.lines+1, 1
	scanner := quoteScanner{delimiter: r.delimiter}
	var row []byte
	for {
		part, err := r.text.ReadSlice('\n')
		row = append(row, part...)
		switch {
		case len(row) > MaxRow:
			return "", fmt.Errorf("%s: the row is longer than %d octets%s", r.place(), MaxRow, r.openQuote(&scanner))
		case err == nil:
			r.lines++
		case errors.Is(err, io.EOF) && len(row) > 0:
			return r.last(&scanner, part, row)
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
		open := r.follow(&scanner, part)
		if r.columns > MaxColumns {
			return "", r.tooWide()
		}
		if !open && err == nil {
			return string(row), nil
		}
	}
}

// last returns the row at the end of the text.
func (r *rowReader) last(scanner *quoteScanner, part, row []byte) (string, error) {
	r.lines++
	open := r.follow(scanner, part)
	if r.columns > MaxColumns {
		return "", r.tooWide()
	}
	if open {
		return "", fmt.Errorf("%s: a quote is never closed", r.place())
	}
	return string(row), nil
}

// follow scans part and reports whether the row continues after it.
func (r *rowReader) follow(scanner *quoteScanner, part []byte) (open bool) {
	if r.delimiter == 0 {
		return false
	}
	for _, c := range part {
		if (c != '\n' || scanner.open()) && scanner.next(c) {
			r.columns++
		}
	}
	return scanner.open()
}

// place is where in the list it reads.
func (r *rowReader) place() string {
	if r.delimiter == 0 {
		return fmt.Sprintf("line %d", r.line)
	}
	return fmt.Sprintf("line %d, column %d", r.line, r.columns)
}

func (r *rowReader) tooWide() error {
	return fmt.Errorf("line %d: the row has more than %d columns", r.line, MaxColumns)
}

func (r *rowReader) openQuote(scanner *quoteScanner) string {
	if r.delimiter != 0 && scanner.open() {
		return "; a quote is not closed"
	}
	return ""
}
