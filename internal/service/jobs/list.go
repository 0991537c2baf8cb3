package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Format says how the rows of a list are read.
type Format struct {
	Format    list.Format `json:"format,omitempty"`    // guessed when empty
	Delimiter byte        `json:"delimiter,omitempty"` // of CSV; guessed when 0
	Columns   []string    `json:"columns,omitempty"`   // of the addresses; guessed when empty
	HeaderRow int         `json:"header,omitempty"`    // as [list.Options] has it
	Encoding  string      `json:"encoding,omitempty"`  // of text; found when empty
	Sheet     string      `json:"tab,omitempty"`       // of a spreadsheet; found when empty
	SheetText bool        `json:"sheet,omitempty"`     // it is the text of a sheet
	Found     *Found      `json:"found,omitempty"`     // of a list that is stored
}

// Found is what was found in a list.
type Found struct {
	Format          list.Format   `json:"format"`
	Sheet           string        `json:"sheet,omitempty"`
	Columns         []string      `json:"columns"`              // names of those that are read
	HeaderRow       int           `json:"header_row,omitempty"` // as [list.Options] has it; 0: the format has none
	Encoding        list.Encoding `json:"encoding"`
	EncodingGuessed bool          `json:"encoding_guessed,omitempty"`
	Written         list.Encoding `json:"written,omitempty"` // encoding of the rows in CSV; empty: UTF-8
	// Others that hold addresses in their first rows, and are not read.
	OtherColumns []string `json:"other_columns,omitempty"`
	OtherSheets  []string `json:"other_sheets,omitempty"`
}

// FoundIn returns what was found in the list of a job; nil if an earlier
// version has stored it.
func FoundIn(j rows.Job) *Found {
	f, _ := readFormat(j.Format)
	return f.Found
}

// readFormat reads what [Format.text] wrote, now or in an earlier version,
// which knew one column only.
func readFormat(text string) (Format, error) {
	var stored struct {
		Format
		Column string `json:"column"`
	}
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return Format{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if stored.Column != "" {
		stored.Columns = []string{stored.Column}
	}
	return stored.Format, nil
}

func (f Format) options() list.Options {
	return list.Options{
		Format: f.Format, Delimiter: f.Delimiter, Columns: f.Columns, HeaderRow: f.HeaderRow, Encoding: f.Encoding,
		SheetText: f.SheetText,
	}
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
	as     Format
	text   *Spool
	file   list.Format  // what was read as a spreadsheet; empty: nothing was
	sheets []list.Sheet // of the spreadsheet whose text it is
	limits Limits
	rows   int64
	found  []foundCell
}

// foundCell is a cell that was read, with the key and domain of its address.
type foundCell struct {
	cell
	key    key
	domain string
}

// openList reads a text with some limits. It is one of these sheets, if there
// are any.
func openList(text io.Reader, f Format, sheets []list.Sheet, limits Limits) (*listReader, error) {
	o := f.options()
	if !f.SheetText {
		o.Sheet = f.Sheet // refused: there is none
	}
	reader, err := list.NewReader(text, o)
	if err != nil {
		return nil, &ListError{list.OfSheet(sheets, err)}
	}
	found := make([]foundCell, reader.AddressesPerRow())
	return &listReader{Reader: reader, as: f, sheets: sheets, limits: limits, found: found}, nil
}

// next returns the next row, and what its cells hold: without their sources,
// and until the next call. [io.EOF] ends the list.
func (l *listReader) next() (raw string, found []foundCell, err error) {
	read, err := l.Next()
	if errors.Is(err, io.EOF) {
		return "", nil, io.EOF
	}
	if err != nil {
		return "", nil, &ListError{err}
	}
	if l.rows++; l.rows*int64(len(l.found)) > l.limits.Rows {
		return "", nil, l.tooManyRows()
	}
	if read.Columns > l.limits.Columns {
		return "", nil, fmt.Errorf("%w: its %s %d has %d columns, %d are allowed",
			ErrTooLarge, l.Unit(), read.Line, read.Columns, l.limits.Columns)
	}
	for i := range l.found {
		held, text := read.Held(i)
		l.found[i] = foundCell{cell: cell{kind: kinds[held], text: text}}
		if held == list.Address {
			l.found[i].key, l.found[i].domain = identify(text)
		}
	}
	return read.Raw, l.found, nil
}

// tooManyRows: each column that is read counts like a list of its own.
func (l *listReader) tooManyRows() error {
	if each := len(l.found); each > 1 {
		return fmt.Errorf("%w: it has more than %d rows with %d columns of addresses",
			ErrTooLarge, l.limits.Rows/int64(each), each)
	}
	return fmt.Errorf("%w: it has more than %d rows", ErrTooLarge, l.limits.Rows)
}

// reopen finds the format of a stored list again, for writing its rows.
func reopen(head []byte, format string) (*list.Reader, error) {
	octets, err := headOf(format).unpack(head)
	if err != nil {
		return nil, err
	}
	f, err := readFormat(format)
	if err != nil {
		return nil, err
	}
	return list.NewReader(bytes.NewReader(octets), f.options())
}
