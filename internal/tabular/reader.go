package tabular

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine"
)

// Options say how to read a list.
type Options struct {
	Format    Format   // guessed when empty
	Delimiter byte     // of CSV; guessed when 0
	Columns   []string // columns or JSON fields with the addresses; guessed when empty
}

// Reader reads the rows of a list.
type Reader struct {
	rows   rowReader
	shape  shape
	format Format
	unit   string // what a row is: a "line", or an "element" of a JSON array
}

// Row is one row of a list.
type Row struct {
	Addresses []string // one for each column that is read; "" for an empty cell
	Raw       string   // the row itself, for a [Writer]
	Err       error    // why the row cannot be read; its addresses are empty then
	Line      int      // first line of the row, from 1
	LastLine  int
	Foreign   bool // not UTF-8, and read as Windows-1252
	Merged    bool // it looks like several rows that a stray quote has merged
}

// shape knows the rows of a format.
type shape interface {
	// addresses finds the addresses in a row.
	addresses(row string) ([]string, error)
	// earlierResults returns the results of an earlier run for a row, or nil.
	earlierResults(row string) []*engine.Result
	// csvHead returns the beginning of a CSV output with added columns.
	csvHead(columns []string, o Output) []byte
	// appendCSV writes a row with cells added.
	appendCSV(out []byte, row string, added []string, o Output) []byte
	// appendJSON writes a row as a JSON object with a verification record
	// added.
	appendJSON(out []byte, row string, record []byte) []byte
	// readNames returns the names of the columns or fields of the addresses.
	readNames() []string
	// taken returns the names of the list's own columns or fields.
	taken() []string
}

// NewReader finds the format and layout of the list in r. The error is a
// [*FormatError] or that of r.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	text, err := openText(r)
	if err != nil {
		return nil, err
	}
	if o.Format == "" {
		o.Format = guessFormat(text, o.Columns)
	}
	unit := "line"
	if o.Format == JSON || o.Format == JSONLines && beginsArray(text) {
		o.Format, unit = JSONLines, "element"
		if text, err = jsonLines(text, addressFieldOf(o.Columns)); err != nil {
			return nil, err
		}
	}
	reader := &Reader{rows: rowReader{text: text.Reader}, format: o.Format, unit: unit}
	switch o.Format {
	case JSONLines:
		reader.shape, err = newJSONShape(text, o.Columns)
	case Lines:
		reader.shape, err = newLineShape(text, o.Columns)
	default:
		reader.shape, err = newCSVShape(text, &reader.rows, o)
	}
	return reader, err
}

// guessFormat guesses the format of a list without a name.
func guessFormat(t *text, columns []string) Format {
	lines := firstRows(t.sample, t.whole, 0)
	if len(lines) == 0 {
		return Lines
	}
	if beginsArray(t) || strings.TrimSpace(lines[0]) == "{" {
		return JSON
	}
	if inner, found := strings.CutPrefix(strings.TrimSpace(lines[0]), "{"); found &&
		strings.HasPrefix(strings.TrimSpace(inner), `"`) {
		return JSONLines
	}
	if named, _ := namedDelimiter(t.sample); named != 0 || isAddressName(lines[0]) || hasColumns(t, len(columns) > 0) {
		return CSV
	}
	return Lines
}

// hasColumns reports whether a text is a table and not a list with one address
// per line. It has a delimiter, and columns are given, or the first row is a
// header, or more rows hold an address in a cell than are an address, or there
// are no addresses at all.
func hasColumns(t *text, wanted bool) bool {
	delimiter := guessDelimiter(t.sample, t.whole)
	rows := firstRows(t.sample, t.whole, delimiter)
	first := cells(rows[0], delimiter)
	var parted, inCells, asTheyStand, asWide int
	for _, row := range rows {
		cells := cells(row, delimiter)
		if len(cells) > 1 {
			parted++
		}
		if len(cells) == len(first) {
			asWide++
		}
		if looksLikeAddress(row) {
			asTheyStand++
		} else if slices.ContainsFunc(cells, looksLikeAddress) {
			inCells++
		}
	}
	if parted == 0 {
		return false
	}
	header := len(first) > 1 && (slices.ContainsFunc(first, isAddressName) || !strings.Contains(rows[0], "@") &&
		asWide > len(rows)/2)
	return wanted || header || inCells > asTheyStand || inCells == 0 && asTheyStand == 0
}

// Format returns the format of the list.
func (r *Reader) Format() Format { return r.format }

// Next returns the next row; [io.EOF] ends the list. Empty lines are skipped.
func (r *Reader) Next() (Row, error) {
	raw, err := r.rows.read()
	if err != nil {
		return Row{}, err
	}
	row := Row{Raw: raw, Line: r.rows.line, LastLine: r.rows.lines, Foreign: !utf8.ValidString(raw)}
	if row.Foreign && r.format != CSV {
		row.Raw = toUTF8(raw) // a CSV row keeps its octets
	}
	if row.Addresses, err = r.shape.addresses(row.Raw); err != nil {
		row.Addresses = make([]string, len(r.shape.readNames()))
		row.Err = fmt.Errorf("%s %d: %w", r.unit, row.Line, err)
	}
	if csv, is := r.shape.(*csvShape); is {
		row.Merged = csv.isMerged(row.Raw)
		if row.Merged && strings.Join(row.Addresses, "") == "" {
			row.Err = fmt.Errorf("rows %d–%d seem to be merged by a stray quote", row.Line, row.LastLine)
		}
	}
	return row, nil
}

// EarlierResults returns the results in a row of the output of an earlier run:
// one for each column that is read, or nil for a column without a result.
func (r *Reader) EarlierResults(raw string) []*engine.Result { return r.shape.earlierResults(raw) }

// AddressesPerRow returns how many addresses each row has: one for each column
// or field that is read.
func (r *Reader) AddressesPerRow() int { return len(r.shape.readNames()) }

// Columns describes the columns of a CSV file that are read, and the others
// that hold addresses, each by number and name. It returns none for other
// formats and if there is no choice.
func (r *Reader) Columns() (read, others []string) {
	csv, is := r.shape.(*csvShape)
	if !is || csv.width < 2 {
		return nil, nil
	}
	for _, i := range csv.read {
		read = append(read, csv.nameOf(i))
	}
	for _, i := range csv.others {
		others = append(others, csv.nameOf(i))
	}
	return read, others
}
