package list

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// Text is a list that is neither compressed nor a spreadsheet: see [PlainText].
type Text struct {
	*bufio.Reader
	Packing Packing // what it was unpacked from
	sheet   *sheetText
	table   *table // that sheet is one of; nil: of a workbook
	closers []io.Closer
}

// newText returns a reader with room for what [Describe] needs.
func newText(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 2*sampleSize) }

// PlainText returns the text of a list: unpacked, and as CSV with commas where
// it is a spreadsheet. Close it.
func PlainText(r io.Reader, o Options) (*Text, error) {
	t := &Text{Reader: newText(r)}
	for {
		head, whole, err := sampleOf(t.Reader)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		packing, table := wrapped(head, whole, o)
		switch {
		case packing == Zip:
			err = t.openArchive(o)
		case packing != Plain:
			err = t.unpack(packing)
		case table != nil:
			err = t.openSheet(table, o)
		default:
			return t, nil
		}
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		if o.unpacked = true; t.IsSheet() {
			return t, nil
		}
	}
}

func (t *Text) unpack(packing Packing) (err error) {
	var closer io.Closer
	t.Packing = packing
	if t.Reader, closer, err = unpack(t.Reader, packing); err == nil {
		t.closers = append(t.closers, closer)
	}
	return err
}

func (t *Text) openSheet(table *table, o Options) error {
	sheet, err := table.openSheet(t.Reader, o)
	if err == nil {
		t.table = table
		t.readSheet(sheet)
	}
	return err
}

func (t *Text) readSheet(sheet *sheetText) {
	t.sheet, t.Reader = sheet, newText(sheet)
	t.closers = append(t.closers, sheet)
}

// IsSheet reports whether it was a spreadsheet.
func (t *Text) IsSheet() bool { return t.sheet != nil }

// Table returns the format of what was read as a spreadsheet: of a workbook,
// HTML, an address book; empty if it was no spreadsheet.
func (t *Text) Table() Format {
	if !t.IsSheet() {
		return ""
	}
	for _, f := range formats {
		if t.table != nil && f.table == t.table {
			return f.Format
		}
	}
	return XLSX
}

// Sheets returns the sheets of a spreadsheet, in the order of their tabs; none
// if it is no spreadsheet.
func (t *Text) Sheets() []Sheet {
	if !t.IsSheet() {
		return nil
	}
	return slices.Clone(t.sheet.all)
}

// Close frees what unpacking takes.
func (t *Text) Close() (err error) {
	for _, closer := range slices.Backward(t.closers) {
		err = errors.Join(err, closer.Close())
	}
	t.closers = nil
	return err
}
