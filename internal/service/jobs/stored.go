package jobs

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/internal/list"
)

// stored returns the format with which the rows of a list are stored, and its
// head: what was found is read again, also by a version that would find
// something else, or else what was given.
func (l *listReader) stored(head []byte) (format string, packed []byte, err error) {
	given := l.as
	given.Format, given.Found = keptFormat(given.Format, l.Format()), l.foundIn()
	for _, f := range []Format{l.pinned(given), given} {
		format = f.text()
		packed = headOf(format).pack(head)
		if err = sameFormat(l.Reader, packed, format); err == nil {
			break
		}
	}
	return format, packed, err
}

// mostOthers bounds what [Found] names of what is not read.
const mostOthers = 50

// foundIn says what was found.
func (l *listReader) foundIn() *Found {
	d := l.Description()
	f := &Found{
		Format: cmp.Or(l.file, d.Format), Sheet: l.as.Sheet, Columns: l.ReadNames(), HeaderRow: d.HeaderRow,
		Encoding: d.Encoding, EncodingGuessed: d.EncodingWhy == list.Guessed,
		Written: d.Written(),
	}
	for i, column := range d.Columns {
		if column.Held > 0 && !d.IsRead(i) && len(f.OtherColumns) < mostOthers {
			f.OtherColumns = append(f.OtherColumns, d.Title(i))
		}
	}
	for _, sheet := range l.sheets {
		if sheet.Held > 0 && !sheet.Read && len(f.OtherSheets) < mostOthers {
			f.OtherSheets = append(f.OtherSheets, sheet.Name)
		}
	}
	return f
}

// pinned is a format with the header and the columns that were found.
func (l *listReader) pinned(f Format) Format {
	d := l.Description()
	if !l.Numbered() {
		return f
	}
	f.HeaderRow, f.Columns = d.HeaderRow, nil
	for _, choice := range d.Read {
		f.Columns = append(f.Columns, strconv.Itoa(choice.Column+1))
	}
	return f
}

// keptFormat is the given format of a list, or else the one that was found. The
// format of JSON lines is found again.
func keptFormat(given, found list.Format) list.Format {
	if given != "" || found == list.JSONLines {
		return given
	}
	return found
}

// sameFormat makes sure that the rows of a list can be written later.
func sameFormat(l *list.Reader, head []byte, format string) error {
	again, err := reopen(head, format)
	if err != nil {
		return &ListError{err}
	}
	want, err := list.NewWriter(l, list.Output{Format: list.CSV})
	if err != nil {
		return &ListError{err}
	}
	got, err := list.NewWriter(again, list.Output{Format: list.CSV})
	if err != nil {
		return &ListError{err}
	}
	isSame := func(a, b list.Choice) bool { return a.Column == b.Column && a.Name == b.Name }
	if string(got.Head()) != string(want.Head()) ||
		!slices.EqualFunc(l.Description().Read, again.Description().Read, isSame) {
		return &ListError{errors.New("its first rows are too long: the format cannot be found from them")}
	}
	return nil
}
