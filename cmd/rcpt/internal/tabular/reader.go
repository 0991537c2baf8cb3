package tabular

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Options say how a list is to be read.
type Options struct {
	Format    Format // guessed when empty
	Delimiter byte   // of CSV; guessed when 0
	Column    string // column of a CSV file, or field of JSON objects, that holds the addresses; guessed when empty
}

// Reader reads the rows of a list.
type Reader struct {
	rows   rowReader
	shape  shape
	format Format
}

// Row is one row of a list.
type Row struct {
	Address string // to verify; "" where the row has none
	Raw     string // the row itself, for a [Writer]
	Err     error  // why the row cannot be read; it has no address then
	Line    int    // where it begins, from 1
	Foreign bool   // not UTF-8, and read as Windows-1252
}

// shape is what a format knows about its rows.
type shape interface {
	// address finds the address in a row.
	address(row string) (string, error)
	// csvHead is what a CSV output begins with when columns are added.
	csvHead(columns []string, o Output) []byte
	// appendCSV writes a row with cells added.
	appendCSV(out []byte, row string, added []string, o Output) []byte
	// appendJSON writes a row as a JSON object with a verification record added.
	appendJSON(out []byte, row string, record []byte) []byte
	// taken are the names that the list itself uses for columns or fields.
	taken() []string
}

// NewReader finds out how the list in r is laid out. A [FormatError] says what the user can do; other errors are those of r.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	text, err := openText(r)
	if err != nil {
		return nil, err
	}
	if o.Format == "" {
		o.Format = guessFormat(text)
	}
	reader := &Reader{rows: rowReader{text: text.Reader}, format: o.Format}
	switch o.Format {
	case JSONLines:
		reader.shape, err = newJSONShape(text, o.Column)
	case Lines:
		reader.shape, err = newLineShape(o.Column)
	default:
		reader.shape, err = newCSVShape(text, &reader.rows, o)
	}
	return reader, err
}

// guessFormat tells the format of a list that has no name.
func guessFormat(t *text) Format {
	lines := firstRows(t.sample, t.whole, 0)
	if len(lines) == 0 {
		return Lines
	}
	if inner, found := strings.CutPrefix(strings.TrimSpace(lines[0]), "{"); found && strings.HasPrefix(strings.TrimSpace(inner), `"`) {
		return JSONLines
	}
	for _, row := range sampleOf(t.sample, t.whole, guessDelimiter(t.sample, t.whole)) {
		if len(row) > 1 {
			return CSV
		}
	}
	if isAddressName(lines[0]) {
		return CSV
	}
	return Lines
}

// Format of the list.
func (r *Reader) Format() Format { return r.format }

// Next returns the next row; [io.EOF] ends the list. Empty lines are skipped.
func (r *Reader) Next() (Row, error) {
	raw, err := r.rows.read()
	if err != nil {
		return Row{}, err
	}
	row := Row{Raw: raw, Line: r.rows.line, Foreign: !utf8.ValidString(raw)}
	if row.Foreign && r.format != CSV {
		row.Raw = toUTF8(raw) // a CSV row keeps its octets
	}
	if row.Address, err = r.shape.address(row.Raw); err != nil {
		row.Err = fmt.Errorf("line %d: %w", row.Line, err)
	}
	return row, nil
}
