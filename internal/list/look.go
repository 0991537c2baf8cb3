package list

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Look is the beginning of a list, for people who decide what is read.
type Look struct {
	Description
	Rows    []LookRow // the first rows, also those above the table
	Problem error     // a [*FormatError]: why it is not read as it stands
}

// LookRow is a row that is not blank.
type LookRow struct {
	Number int // in the list, from 1
	Cells  []string
}

// LookAt looks at the beginning of a list that is neither compressed nor a
// spreadsheet. The error is a [*FormatError] where people cannot help by
// another choice, or that of r.
func LookAt(r io.Reader, o Options) (l Look, err error) {
	octets, whole, err := sampleOf(newText(r))
	if err != nil {
		return l, err
	}
	l.Description, l.Problem = Describe(octets, whole, o)
	for _, row := range l.first {
		l.Rows = append(l.Rows, LookRow{row.number, row.cells})
	}
	if len(l.Columns) < 2 {
		return l, l.Problem
	}
	return l, nil
}

// IsRead tells whether a column is read.
func (d *Description) IsRead(column int) bool {
	return slices.ContainsFunc(d.Read, func(c Choice) bool { return c.Column == column })
}

// Choose returns what chooses a column in [Options].Columns: its number, or the
// name of a field in JSON.
func (d *Description) Choose(column int) string {
	if d.Delimiter == 0 {
		return d.Columns[column].Name
	}
	return strconv.Itoa(column + 1)
}

// Title returns the name of a column for people: "Column 3" if it has none.
func (d *Description) Title(column int) string {
	return cmp.Or(strings.TrimSpace(d.Columns[column].Name), "Column "+strconv.Itoa(column+1))
}
