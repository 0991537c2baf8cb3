package list

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rcpt/rcpt"
)

// Options say how to read a list.
type Options struct {
	Format    Format   // guessed when empty
	Delimiter byte     // of CSV; guessed when 0
	Columns   []string // columns or JSON fields with the addresses; guessed when empty
	Sheet     string   // of a spreadsheet; when empty, the first that holds addresses
	HeaderRow int      // row that names the columns, from 1; 0: found; NoHeader: none does
	Encoding  string   // of text without a byte order mark, as [CharsetNamed] knows it; guessed when empty
	Folder    string   // for temporary files; that of the system when empty
	SheetText bool     // the list is what [PlainText] made of a spreadsheet
	unpacked  bool     // the list was compressed
}

// Reader reads the rows of a list.
type Reader struct {
	description Description
	text        *Text
	rows        rowReader
	cellText    cellText
	shape       shape
	unit        string // what a row is called
}

// Row is one row of a list.
type Row struct {
	Addresses []string // one for each column that is read; "" for an empty cell
	Raw       string   // the row itself, for a [Writer]
	Err       error    // why the row cannot be read; its addresses are empty then
	Line      int      // first line of the row, from 1
	LastLine  int
	Columns   int       // of CSV and spreadsheets; else 1
	Foreign   bool      // not UTF-8
	Merged    bool      // it looks like several rows that a stray quote has merged
	csv       *csvShape // nil: the row is no row of cells
}

// NewReader finds the format and layout of the list in r, which may be
// compressed. The error is a [*FormatError] or that of r. Close the Reader.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	text, err := PlainText(r, o)
	if err != nil {
		return nil, err
	}
	reader := &Reader{text: text}
	if err := reader.open(o); err != nil {
		_ = reader.Close()
		return nil, err
	}
	return reader, nil
}

func (r *Reader) open(o Options) error {
	o.unpacked = r.text.Packing != Plain
	o.SheetText = o.SheetText || r.text.IsSheet()
	octets, whole, err := sampleOf(r.text.Reader)
	if err != nil {
		return err
	}
	if r.description, err = Describe(octets, whole, o); err != nil {
		return OfSheet(r.text.Sheets(), err)
	}
	return r.begin()
}

// begin reads up to the first row of the list.
func (r *Reader) begin() error {
	d := &r.description
	text, err := d.reader(r.text.Reader)
	if err != nil {
		return err
	}
	f := of(d.Format)
	if from, is := f.kind.(converter); is {
		text = bufio.NewReaderSize(from.convert(text, d), sampleSize)
	}
	r.rows = newRowReader(text, d.Delimiter)
	r.rows.sheet = d.Format == XLSX
	r.shape, r.unit, r.cellText = f.shape(d), f.unit, d.cellText()
	above := d.Before
	if d.Header != "" {
		above++
	}
	for range above {
		if _, err := r.rows.next(); err != nil {
			return err
		}
	}
	return nil
}

// Description says what was found at the beginning of the list.
func (r *Reader) Description() *Description { return &r.description }

// Format returns the format of the list's rows.
func (r *Reader) Format() Format {
	if r.description.Format == JSON { // read as JSON lines
		return JSONLines
	}
	return r.description.Format
}

// Unit is what a row of the list is called: "line", "element" or "row".
func (r *Reader) Unit() string { return r.unit }

// Sheets returns the sheets of a spreadsheet; none if the list is no
// spreadsheet.
func (r *Reader) Sheets() []Sheet { return r.text.Sheets() }

// HeaderRow returns the row that names the columns, from 1, or NoHeader; 0 for
// a list that has no columns.
func (r *Reader) HeaderRow() int { return r.description.HeaderRow }

// Position returns how much of the sheet was read, of how much; false if the
// list is no spreadsheet. It may be called while rows are read.
func (r *Reader) Position() (read, size int64, known bool) {
	if !r.text.IsSheet() {
		return 0, 0, false
	}
	read, size = r.text.sheet.rows.Position()
	return read, size, true
}

// Encoding returns the encoding of the list, and whether it was guessed. Rows
// that are not UTF-8 although the beginning of the list is, are read as
// Windows-1252.
func (r *Reader) Encoding() (e Encoding, guessed bool) {
	return r.description.Encoding, r.description.EncodingWhy == Guessed
}

// IsPacked reports whether the list is compressed.
func (r *Reader) IsPacked() bool { return r.text.Packing != Plain }

// Close removes temporary files. It does not close what the list is read from.
func (r *Reader) Close() error { return r.text.Close() }

// Next returns the next row; [io.EOF] ends the list. Empty lines are skipped.
func (r *Reader) Next() (Row, error) {
	raw, err := r.rows.read()
	if err != nil {
		return Row{}, err
	}
	row := Row{
		Raw: raw, Line: r.rows.line, LastLine: r.rows.lines,
		Columns: r.rows.columns, Foreign: r.cellText.isForeign(raw),
	}
	if row.Foreign && !r.Numbered() {
		row.Raw = r.cellText.toUTF8(raw) // a CSV row keeps its octets
	}
	if row.Addresses, err = r.shape.addresses(row.Raw); err != nil {
		row.Addresses = make([]string, len(r.description.Read))
		separator := ": "
		if errors.As(err, &cellError{}) {
			separator = ", "
		}
		row.Err = fmt.Errorf("%s %d%s%w", r.unit, row.Line, separator, err)
	}
	if err := r.damage(row); err != nil {
		row.Addresses, row.Err = make([]string, len(r.description.Read)), err
	}
	if csv, is := r.shape.(*csvShape); is {
		row.csv = csv
	}
	if row.csv != nil && !row.csv.sheet {
		row.Merged = row.csv.isMerged(row.Raw)
		if row.Merged && strings.Join(row.Addresses, "") == "" {
			row.Err = fmt.Errorf("rows %d–%d seem to be merged by a stray quote", row.Line, row.LastLine)
		}
	}
	return row, nil
}

// damage returns an error for a row with an address that is not what the
// letters say, so that nobody can be asked about it: it has a NUL, or letters
// that are only guessed.
func (r *Reader) damage(row Row) error {
	d := &r.description
	guessed := row.Foreign || d.EncodingWhy == Guessed && d.isDecoded()
	for _, cell := range row.Addresses {
		if strings.IndexByte(cell, 0) >= 0 {
			return fmt.Errorf("%s %d: %s has a NUL octet", r.unit, row.Line, shownCell(cell))
		}
		if guessed && !d.isSure(cell) {
			return fmt.Errorf("%s %d: the letters of %s are only guessed: name the encoding of the list, "+
				"or save it as CSV UTF-8", r.unit, row.Line, shownCell(cell))
		}
	}
	return nil
}

// EarlierResults returns the results in a row of the output of an earlier run:
// one for each column that is read, or nil for a column without a result.
func (r *Reader) EarlierResults(raw string) []*rcpt.Result { return r.shape.earlierResults(raw) }

// Earlier returns whose results the list holds: "rcpt", the name of a
// [Service], or "" for none.
func (r *Reader) Earlier() string { return r.description.Earlier }

// OfService reports whether they are those of another service.
func (r *Reader) OfService() bool { return r.description.service != nil }

// Width returns how many columns or fields the first rows have.
func (r *Reader) Width() int { return len(r.description.Columns) }

// AddressesPerRow returns how many addresses each row has: one for each column
// or field that is read.
func (r *Reader) AddressesPerRow() int { return len(r.description.Read) }

// Numbered reports whether columns can be chosen by their number, from 1.
func (r *Reader) Numbered() bool { return r.description.Delimiter != 0 }

// Columns describes the columns of a CSV file that are read, and the others
// that hold addresses, each by number and name; the others with how many of the
// first rows have one there. It returns none for other
// formats and if there is no choice.
func (r *Reader) Columns() (read, others []string) {
	d := &r.description
	if !r.Numbered() || len(d.Columns) < 2 {
		return nil, nil
	}
	for _, choice := range d.Read {
		read = append(read, d.nameOf(choice.Column))
	}
	for _, i := range d.others() {
		others = append(others, fmt.Sprintf("%s (%d of %s)", d.nameOf(i), d.Columns[i].Held, d.sampled()))
	}
	return read, others
}

// Names returns the names of all columns or fields that the beginning of the
// list has: those of an earlier run, too. A column without a name is called by
// its number: "Column 3".
func (r *Reader) Names() []string { return r.shape.names() }

// ReadNames returns which of Names are read for addresses.
func (r *Reader) ReadNames() []string {
	names := r.Names()
	var read []string
	for _, choice := range r.description.Read {
		if choice.Column >= 0 {
			read = append(read, names[choice.Column])
		} else {
			read = append(read, choice.Name)
		}
	}
	return read
}

// Cells returns the cells of a row, for people, in the order of Names.
func (r *Reader) Cells(raw string) []string { return r.shape.cells(raw) }
