package list

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
)

// Description is what the beginning of a list says of all of it. A [Reader]
// goes by nothing else.
type Description struct {
	// Packing is what has to be unpacked first, and Table tells that the rows
	// of a table have to be read first. What is in it has a description of its
	// own; the rest of this one is empty.
	Packing Packing
	Table   bool

	Encoding    Encoding
	EncodingWhy Why  // Given, Marked or Guessed; empty: its octets tell
	Mixed       bool // rows that are UTF-8 are read as UTF-8, and only the others in Encoding
	Marked      bool // a byte order mark comes first

	RowEnd     RowEnd // of the first row; others may have another
	RowsQuoted bool   // each row is quoted as a whole; it is read and written without these quotes
	Format     Format
	Delimiter  byte     // of CSV
	Array      bool     // of JSON: its values are the elements of an array
	Within     []string // the keys on the way to this array; "[]" stands for each element of one
	OneLine    bool     // of lines: there is one, with several addresses
	Before     int      // rows above the table: a title, a line that names the delimiter; blank rows count, too
	Head       string   // these rows, as they are
	HeaderRow  int      // of CSV: the row that names the columns, from 1, or NoHeader
	Header     string   // this row, as it is; empty: there is none
	Shifted    bool     // the row lacks the first name; Header has an empty one
	Columns    []Column
	Sampled    int  // rows by which the columns are judged
	Whole      bool // the list has no more
	Read       []Choice
	Earlier    string // whose results the list holds: "rcpt", or the name of a [Service]; empty: none

	service *serviceReader // reads those of a service
	first   []firstRow     // also those above the table
	likely  []Encoding     // that the text may have, if it was guessed
}

// Column is a column of CSV, or a field of JSON objects.
type Column struct {
	Name    string // empty: the list has no header
	Filled  int    // cells of the first rows that are not empty
	Held    int    // of them, those that look like addresses
	Earlier bool   // an earlier run added it
	Repeats bool   // its addresses are those of another column, as Outlook writes them as names
}

// Choice is a column that is read.
type Choice struct {
	Column int    // from 0; -1: none of the first rows has such a field
	Name   string // of its results
	Why    Why
}

// Why says why a column is read, or text in an encoding. Column.Held and
// Column.Filled tell how sure it is.
type Why string

// The reasons, the surest first.
const (
	Given   Why = "given"   // the caller chose it
	Named   Why = "named"   // its name is one for addresses
	Holding Why = "holding" // it is the one that holds addresses
	Only    Why = "only"    // there is no other
)

// The reasons for an encoding, besides Given.
const (
	Marked  Why = "marked"  // the byte order mark names it
	Guessed Why = "guessed" // most of the text is letters of a language in it
)

// RowEnd is what ends a row: carriage returns, a line feed, or both.
type RowEnd string

// The usual ends of rows.
const (
	LF   RowEnd = "\n"
	CRLF RowEnd = "\r\n"
	CR   RowEnd = "\r" // of old Macs
)

// sampleSize is how much of a text is looked at: some hundred rows.
const sampleSize = 64 << 10

// beginning is the text with which a list begins, in UTF-8 or in an encoding of
// one octet per character, without a byte order mark.
type beginning struct {
	Options
	text     []byte
	whole    bool // the list has no more
	cellText cellText
}

// Describe judges the beginning of a list, of which whole tells that it is all
// of it, by what the caller knows and wants. It has no other input: the same
// octets lead to the same description. The error is a [*FormatError]: the list
// is not read.
func Describe(octets []byte, whole bool, o Options) (d Description, err error) {
	var table *table
	if d.Packing, table = wrapped(octets, whole, o); d.Packing != Plain || table != nil {
		d.Table = table != nil
		return d, nil
	}
	if err := mistaken(octets); err != nil {
		return d, err
	}
	if err := d.findEncoding(octets, whole, o); err != nil {
		return d, err
	}
	b := &beginning{o, d.textOf(octets, whole), whole, d.cellText()}
	if err := mistakenText(b.text); err != nil && !o.SheetText {
		return d, err
	}
	if len(b.text) > sampleSize {
		b.text, b.whole = b.text[:sampleSize], false
	}
	if err := checkNULs(b.text); err != nil {
		return d, err
	}
	if d.RowsQuoted = !o.SheetText && areRowsQuoted(b.text, b.whole); d.RowsQuoted {
		b.text = d.textOf(octets, whole)
	}
	if !o.SheetText && o.Sheet != "" {
		return d, choiceError(sheetChoice, "it is no spreadsheet and has no sheets: leave --sheet out")
	}
	if d.Format = b.format(); d.isDecoded() {
		b.text, b.cellText = d.textOf(octets, whole), d.cellText()
	}
	d.Whole = b.whole
	err = of(d.Format).describe(b, &d)
	d.RowEnd = b.rowEnd(d.Delimiter)
	return d, err
}

// rowEnd returns what ends the first row.
func (b *beginning) rowEnd(delimiter byte) RowEnd {
	if _, end := cutLineEnd(b.firstRow(delimiter)); end != "" {
		return RowEnd(end)
	}
	return LF
}

// format is the format of a text: that of its name, unless its contents are
// clearly another, or else the first that recognises it.
func (b *beginning) format() Format {
	switch {
	case b.SheetText:
		return XLSX
	case b.Format == JSONLines && b.hasArray():
		return JSON
	case b.Format == CSV && b.Delimiter == 0 && b.isOneLine():
		return Lines
	case b.Format == CSV && b.isJSON(): // the name is wrong
	case b.Format != "" && b.Format != XLSX && of(b.Format).table == nil:
		return b.Format
	}
	for _, f := range formats {
		if f.recognise(b) {
			return f.Format
		}
	}
	return Lines
}

// rows returns the first rows without their ends. It leaves out a row that the
// sample cuts off, unless it is the only one. Delimiter 0: a row is a line.
func (b *beginning) rows(delimiter byte) []string {
	return firstRows(b.text, b.whole, delimiter, b.cellText)
}

// cells returns the cells of the first rows.
func (b *beginning) cells(delimiter byte) [][]string {
	var rows [][]string
	for _, body := range b.rows(delimiter) {
		rows = append(rows, cells(body, delimiter))
	}
	return rows
}

// readNames returns the names of what is read.
func (d *Description) readNames() []string {
	var names []string
	for _, choice := range d.Read {
		names = append(names, choice.Name)
	}
	return names
}

// columnNames returns the names of the columns.
func (d *Description) columnNames() []string {
	var names []string
	for _, column := range d.Columns {
		names = append(names, column.Name)
	}
	return names
}

// earlier returns the columns that an earlier run added.
func (d *Description) earlier() []int {
	return d.columns(func(i int) bool { return d.Columns[i].Earlier })
}

// others returns the columns with further addresses that are not read.
func (d *Description) others() []int {
	return d.columns(func(i int) bool {
		return d.Columns[i].Held > 0 && !d.Columns[i].Repeats && !d.IsRead(i)
	})
}

func (d *Description) columns(match func(int) bool) []int {
	var found []int
	for i := range d.Columns {
		if match(i) {
			found = append(found, i)
		}
	}
	return found
}

// tally counts the cells of the first rows by their columns. Those of an
// earlier run hold no addresses of the list.
func (d *Description) tally(rows [][]string) {
	d.Sampled = len(rows)
	held := make([][]string, len(d.Columns)) // for each row
	for n, row := range rows {
		for i, cell := range row[:min(len(row), len(d.Columns))] {
			if strings.TrimSpace(cell) == "" {
				continue
			}
			d.Columns[i].Filled++
			if !d.Columns[i].Earlier && looksLikeAddress(cell) {
				d.Columns[i].Held++
				if held[i] == nil {
					held[i] = make([]string, len(rows))
				}
				held[i][n] = cmp.Or(address.Clean(cell).Address, cell)
			}
		}
	}
	d.findRepeats(held)
}

// findRepeats finds the columns whose addresses are those of another: of two
// that are the same, the second.
func (d *Description) findRepeats(held [][]string) {
	holding := d.columns(func(i int) bool { return held[i] != nil })
	for _, i := range holding[:min(len(holding), maxListed)] {
		d.Columns[i].Repeats = slices.ContainsFunc(holding[:min(len(holding), maxListed)], func(j int) bool {
			return i != j && repeats(held[i], held[j]) && (j < i || !repeats(held[j], held[i]))
		})
	}
}

// repeats reports whether all the addresses of a column are in another, too.
func repeats(column, other []string) bool {
	for n, held := range column {
		if held != "" && !strings.EqualFold(held, other[n]) {
			return false
		}
	}
	return true
}
