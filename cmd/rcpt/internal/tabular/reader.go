package tabular

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine"
)

// Options say how a list is to be read.
type Options struct {
	Format    Format   // guessed when empty
	Delimiter byte     // of CSV; guessed when 0
	Columns   []string // columns of a CSV file, or fields of JSON objects, that hold the addresses; guessed when empty
}

// Reader reads the rows of a list.
type Reader struct {
	rows   rowReader
	shape  shape
	format Format
	unit   string // of which the rows are: "line", or "element" of a JSON array
}

// Row is one row of a list.
type Row struct {
	Addresses []string // to verify, one for each column that is read; "" where a cell is empty
	Raw       string   // the row itself, for a [Writer]
	Err       error    // why the row cannot be read; its addresses are empty then
	Line      int      // where it begins, from 1
	LastLine  int
	Foreign   bool // not UTF-8, and read as Windows-1252
	Merged    bool // it looks like several rows, which a stray quote has made one
}

// shape is what a format knows about its rows.
type shape interface {
	// addresses finds the addresses in a row.
	addresses(row string) ([]string, error)
	// earlierResults are what an earlier run found out about them; nil: there was none.
	earlierResults(row string) []*engine.Result
	// csvHead is what a CSV output begins with when columns are added.
	csvHead(columns []string, o Output) []byte
	// appendCSV writes a row with cells added.
	appendCSV(out []byte, row string, added []string, o Output) []byte
	// appendJSON writes a row as a JSON object with a verification record added.
	appendJSON(out []byte, row string, record []byte) []byte
	// readNames are what the columns or fields of the addresses are called.
	readNames() []string
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

// guessFormat tells the format of a list that has no name.
func guessFormat(t *text, columns []string) Format {
	lines := firstRows(t.sample, t.whole, 0)
	if len(lines) == 0 {
		return Lines
	}
	if beginsArray(t) || strings.TrimSpace(lines[0]) == "{" {
		return JSON
	}
	if inner, found := strings.CutPrefix(strings.TrimSpace(lines[0]), "{"); found && strings.HasPrefix(strings.TrimSpace(inner), `"`) {
		return JSONLines
	}
	if named, _ := namedDelimiter(t.sample); named != 0 || isAddressName(lines[0]) || hasColumns(t, len(columns) > 0) {
		return CSV
	}
	return Lines
}

// hasColumns says whether a text is a table and not one address a line. A delimiter parts its rows, and: columns are wanted, or the first row is a header, or
// more rows hold an address in a cell than are addresses as they stand, or there are no addresses at all.
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
	header := len(first) > 1 && (slices.ContainsFunc(first, isAddressName) || !strings.Contains(rows[0], "@") && asWide > len(rows)/2)
	return wanted || header || inCells > asTheyStand || inCells == 0 && asTheyStand == 0
}

// Format of the list.
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
			row.Err = fmt.Errorf("rows %d–%d look merged by a stray quote", row.Line, row.LastLine)
		}
	}
	return row, nil
}

// EarlierResults are what an earlier run found out about the addresses of a row, where the list is an output of it: one for each column that is read, nil
// where there is none.
func (r *Reader) EarlierResults(raw string) []*engine.Result { return r.shape.earlierResults(raw) }

// AddressesPerRow returns how many addresses each row has: one for each column
// or field that is read.
func (r *Reader) AddressesPerRow() int { return len(r.shape.readNames()) }

// Columns shows the columns of a CSV file that are read, and the others that hold addresses too, each by number and name. Of other lists, and where
// there is no choice, it shows none.
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
