package list

import (
	"bufio"
	"errors"
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
	Sheet     string   // of a spreadsheet; the first when empty
	Folder    string   // for temporary files; that of the system when empty
	SheetText bool     // the list is what [PlainText] made of a spreadsheet
}

// Reader reads the rows of a list.
type Reader struct {
	rows   rowReader
	shape  shape
	format Format
	unit   string // what a row is: a "line", an "element" of a JSON array, or a "row" of a sheet

	packing Packing
	sheet   *sheetText  // nil: no spreadsheet
	closers []io.Closer // of what was unpacked
}

// Row is one row of a list.
type Row struct {
	Addresses []string // one for each column that is read; "" for an empty cell
	Raw       string   // the row itself, for a [Writer]
	Err       error    // why the row cannot be read; its addresses are empty then
	Line      int      // first line of the row, from 1
	LastLine  int
	Columns   int  // of CSV and spreadsheets; else 1
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

// NewReader finds the format and layout of the list in r, which may be
// compressed. The error is a [*FormatError] or that of r. Close the Reader.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	reader := &Reader{}
	if err := reader.open(r, o); err != nil {
		_ = reader.Close()
		return nil, err
	}
	return reader, nil
}

func (r *Reader) open(from io.Reader, o Options) error {
	text, err := r.unpack(bufio.NewReaderSize(from, sampleSize), o)
	if err != nil {
		return err
	}
	r.rows = rowReader{text: text.Reader}
	if r.sheet != nil || o.SheetText {
		r.format, r.unit, r.rows.sheet = XLSX, "row", true
		r.shape, err = newCSVShape(text, &r.rows, o, true)
		return err
	}
	if o.Sheet != "" {
		return formatError("it is no spreadsheet and has no sheets: leave --sheet out")
	}
	return r.openLines(text, o)
}

// unpack returns the text of the list, which for a spreadsheet is CSV.
func (r *Reader) unpack(from *bufio.Reader, o Options) (*text, error) {
	plain, packing, closer, err := unpacked(from)
	if closer != nil {
		r.closers = append(r.closers, closer)
	}
	if err != nil {
		return nil, err
	}
	r.packing = packing
	if head, _ := plain.Peek(len(zipMagic)); string(head) == zipMagic {
		if r.sheet, err = openSheet(plain, o); err != nil {
			return nil, err
		}
		r.closers = append(r.closers, r.sheet)
		plain = bufio.NewReaderSize(r.sheet, sampleSize)
	}
	return openText(plain)
}

// openLines finds the format of a list that is no spreadsheet, whatever its
// name.
func (r *Reader) openLines(text *text, o Options) (err error) {
	if o.Format == XLSX {
		o.Format = ""
	}
	if o.Format == "" {
		o.Format = guessFormat(text, o.Columns)
	}
	r.unit = "line"
	if o.Format == JSON || o.Format == JSONLines && beginsArray(text) {
		o.Format, r.unit = JSONLines, "element"
		if text, err = jsonLines(text, addressFieldOf(o.Columns)); err != nil {
			return err
		}
	}
	r.rows.text, r.format = text.Reader, o.Format
	switch o.Format {
	case JSONLines:
		r.shape, err = newJSONShape(text, o.Columns)
	case Lines:
		r.shape, err = newLineShape(text, o.Columns)
	default:
		r.shape, err = newCSVShape(text, &r.rows, o, false)
	}
	return err
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

// Unit is what a row of the list is called: "line", "element" or "row".
func (r *Reader) Unit() string { return r.unit }

// Sheets returns the name of the sheet that is read, and the names of the
// others; nothing if the list is no spreadsheet.
func (r *Reader) Sheets() (read string, others []string) {
	if r.sheet == nil {
		return "", nil
	}
	return r.sheet.name, r.sheet.others
}

// Position returns how much of the sheet was read, of how much; false if the
// list is no spreadsheet. It may be called while rows are read.
func (r *Reader) Position() (read, size int64, known bool) {
	if r.sheet == nil {
		return 0, 0, false
	}
	read, size = r.sheet.rows.Position()
	return read, size, true
}

// IsPacked reports whether the list is compressed.
func (r *Reader) IsPacked() bool { return r.packing != Plain }

// Close removes temporary files. It does not close what the list is read from.
func (r *Reader) Close() error {
	var err error
	for _, closer := range slices.Backward(r.closers) {
		err = errors.Join(err, closer.Close())
	}
	r.closers = nil
	return err
}

// Next returns the next row; [io.EOF] ends the list. Empty lines are skipped.
func (r *Reader) Next() (Row, error) {
	raw, err := r.rows.read()
	if err != nil {
		return Row{}, err
	}
	row := Row{
		Raw: raw, Line: r.rows.line, LastLine: r.rows.lines,
		Columns: r.rows.columns, Foreign: !utf8.ValidString(raw),
	}
	if row.Foreign && r.format != CSV && r.format != XLSX {
		row.Raw = toUTF8(raw) // a CSV row keeps its octets
	}
	if row.Addresses, err = r.shape.addresses(row.Raw); err != nil {
		row.Addresses = make([]string, len(r.shape.readNames()))
		row.Err = fmt.Errorf("%s %d: %w", r.unit, row.Line, err)
	}
	if csv, is := r.shape.(*csvShape); is && !csv.sheet {
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

// Width returns how many columns or fields the first rows have.
func (r *Reader) Width() int {
	switch s := r.shape.(type) {
	case *csvShape:
		return s.width
	case *jsonShape:
		return len(s.known)
	}
	return 1
}

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
