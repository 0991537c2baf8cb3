package list

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxRow bounds a row, and so each of its fields. A cell of a spreadsheet holds
// at most 32 KiB. Without a bound, a quote that is never closed would make the
// rest of the file one row.
const MaxRow = 1 << 20

// MaxColumns bounds the columns of CSV. No spreadsheet has more, and a column
// takes more memory than its octets.
const MaxColumns = 1 << 14

// rowReader splits a text into rows. Outside of quotes a row ends with a line
// feed, a carriage return, or carriage returns before a line feed, wherever in
// the text: spreadsheets and Python read it so, and files that were put
// together have several.
type rowReader struct {
	text       *bufio.Reader
	delimiter  byte   // of CSV, whose rows may have several lines; 0: a row is a line
	line       int    // first line of the last row, from 1
	lines      int    // read so far
	columns    int    // seen so far in the present row
	sheet      bool   // a row counts as one line, even if a cell has line breaks
	textQuotes bool   // a quote that nothing closes is text
	unclosed   int    // rows with such a quote
	rest       []byte // of the last part of the text, behind the last row
	err        error  // what comes behind rest
}

// newRowReader returns a reader of the rows of a text whose delimiter is known.
// Programs that write tabs between cells mean quotes as text: MySQL,
// PostgreSQL. With other delimiters a quote that nothing closes is damage.
func newRowReader(text *bufio.Reader, delimiter byte) rowReader {
	return rowReader{text: text, delimiter: delimiter, textQuotes: delimiter == '\t'}
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

// blank reports whether a row is an empty line, or NULs that fill up a block.
// In CSV a tab may be a delimiter between empty cells.
func (r *rowReader) blank(row string) bool {
	if r.delimiter == 0 {
		return strings.Trim(strings.TrimSpace(row), "\x00") == ""
	}
	return strings.Trim(row, " \r\n\x00") == ""
}

func (r *rowReader) readAny() (string, error) {
	r.line, r.columns = r.lines+1, 1
	scanner := quoteScanner{delimiter: r.delimiter}
	var row []byte
	for {
		if len(r.rest) == 0 && r.err == nil {
			r.fill()
		}
		if len(r.rest) == 0 {
			return r.last(&scanner, row)
		}
		length, ended := r.follow(&scanner, r.rest)
		row, r.rest = append(row, r.rest[:length]...), r.rest[length:]
		switch {
		case r.isUnclosed(&scanner, row, ended):
			return r.firstLine(row), nil
		case len(row) > MaxRow:
			return "", fmt.Errorf("%s: the row is longer than %d octets%s", r.place(), MaxRow, r.openQuote(&scanner))
		case r.columns > MaxColumns:
			return "", r.tooWide()
		case ended:
			r.lines += linesOf(row)
			return string(row), nil
		}
	}
}

// fill reads the next part of the text. It does not end between a carriage
// return and what tells whether a line feed follows.
func (r *rowReader) fill() {
	r.rest, r.err = r.text.ReadSlice('\n')
	for errors.Is(r.err, bufio.ErrBufferFull) && bytes.HasSuffix(r.rest, []byte(CR)) && len(r.rest) <= MaxRow {
		rest := slices.Clone(r.rest)
		r.rest, r.err = r.text.ReadSlice('\n')
		r.rest = append(rest, r.rest...)
	}
	if errors.Is(r.err, bufio.ErrBufferFull) {
		r.err = nil
	}
}

// last returns the row at the end of the text.
func (r *rowReader) last(scanner *quoteScanner, row []byte) (string, error) {
	switch {
	case len(row) == 0 || !errors.Is(r.err, io.EOF):
		return "", r.err
	case r.isUnclosed(scanner, row, true):
		return r.firstLine(row), nil
	case r.delimiter != 0 && scanner.open() && !r.textQuotes:
		return "", fmt.Errorf("%s: a quote is never closed, or the file is cut off", r.place())
	}
	r.lines += linesOf(row)
	return strings.TrimRight(string(row), "\x00"), nil
}

// maxUnclosed is how many rows are read again because a quote is not closed.
// Behind them a quote ends with its line.
const maxUnclosed = 100

// isUnclosed reports whether a row of several lines goes on only because of a
// quote that nothing closes, which is text.
func (r *rowReader) isUnclosed(scanner *quoteScanner, row []byte, ended bool) bool {
	return r.textQuotes && (ended || len(row) > MaxRow) && (scanner.open() || scanner.damaged) &&
		bytes.ContainsAny(bytes.TrimRight(row, "\r\n"), "\r\n")
}

// firstLine returns the first line of a row. The others are read again.
func (r *rowReader) firstLine(row []byte) string {
	end := behindLineEnd(row, bytes.IndexAny(row, "\r\n"))
	r.rest = append(row[end:], r.rest...)
	r.unclosed++
	r.lines++
	r.columns = bytes.Count(row[:end], []byte{r.delimiter}) + 1
	return string(row[:end])
}

// follow scans the next part of the row and returns how much of it belongs to
// the row, and whether the row ends there.
func (r *rowReader) follow(scanner *quoteScanner, part []byte) (length int, ended bool) {
	for at := 0; ; at++ {
		end := at + lineEndIn(part[at:])
		if r.delimiter != 0 {
			r.columns += scanner.skip(part[at:end])
		}
		if at = end; at == len(part) {
			return at, false
		}
		if r.delimiter == 0 || !scanner.open() || r.unclosed > maxUnclosed {
			return behindLineEnd(part, at), true
		}
		scanner.next(part[at])
	}
}

// lineEndIn returns where in a part of a text the next octet of a line end is,
// or the length of the part. A line feed can only be the last octet.
func lineEndIn(part []byte) int {
	if at := bytes.IndexByte(part, '\r'); at >= 0 {
		return at
	}
	if last := len(part) - 1; last >= 0 && part[last] == '\n' {
		return last
	}
	return len(part)
}

// behindLineEnd returns where the line end at a place ends: carriage returns
// before a line feed are a part of it.
func behindLineEnd(part []byte, at int) int {
	end := at
	for end < len(part) && part[end] == '\r' {
		end++
	}
	if end < len(part) && part[end] == '\n' {
		return end + 1
	}
	return at + 1
}

// linesOf counts the lines of a row. Carriage returns before a line feed belong
// to its line.
func linesOf(row []byte) int {
	lines := bytes.Count(row, []byte(LF))
	body := bytes.TrimSuffix(row, []byte(LF))
	if len(body) == len(row) {
		lines++ // it ends with a carriage return, or the text
	}
	body = bytes.TrimRight(body, string(CR))
	for at := bytes.IndexByte(body, '\r'); at >= 0; at = bytes.IndexByte(body, '\r') {
		if body = bytes.TrimLeft(body[at:], string(CR)); body[0] != '\n' {
			lines++
		}
	}
	return lines
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
		return "; a quote is not closed, or the file is cut off"
	}
	return ""
}
