package tabular

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxRow bounds a row, and so each of its fields: a spreadsheet's cell holds 32 KiB at most, and a quote that is never closed would make a
// row of the rest of the file.
const MaxRow = 1 << 20

// MaxColumns bounds the columns of CSV: no spreadsheet has more, and each takes more memory than its octets.
const MaxColumns = 1 << 14

// rowReader cuts a text into rows.
type rowReader struct {
	text      *bufio.Reader
	delimiter byte // of CSV, whose rows may be of several lines; 0 where a row is a line
	line      int  // where the row that was read last begins, from 1
	lines     int  // read so far
	columns   int  // of the row that is being read, at least
}

// read returns the next row that is not blank, with its line end. A row that is cut off by an error other than the end is not returned.
func (r *rowReader) read() (string, error) {
	for {
		row, err := r.readAny()
		if err != nil || !r.blank(row) {
			return row, err
		}
	}
}

// blank says whether a row is just an empty line. In CSV a tab may be a delimiter between empty cells.
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
			return "", fmt.Errorf("line %d: the row is longer than %d octets%s", r.line, MaxRow, r.openQuote(&scanner))
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

// last is the row at the end of the text.
func (r *rowReader) last(scanner *quoteScanner, part, row []byte) (string, error) {
	r.lines++
	open := r.follow(scanner, part)
	if r.columns > MaxColumns {
		return "", r.tooWide()
	}
	if open {
		return "", fmt.Errorf("line %d: a quote is opened and never closed", r.line)
	}
	return string(row), nil
}

// follow says whether the row goes on behind part.
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

func (r *rowReader) tooWide() error {
	return fmt.Errorf("line %d: the row has more than %d columns", r.line, MaxColumns)
}

func (r *rowReader) openQuote(scanner *quoteScanner) string {
	if r.delimiter != 0 && scanner.open() {
		return "; a quote is opened and not closed"
	}
	return ""
}
