package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/list"
)

// Look is the beginning of a list, for people who decide what is read.
type Look struct {
	Sheets          []list.Sheet // of a spreadsheet
	Columns         []Column     // of CSV and spreadsheets, and fields of JSON
	HeaderRow       int          // that names the columns, from 1; [list.NoHeader]: none does; 0: the format has none
	Encoding        list.Encoding
	EncodingGuessed bool
	First           []list.LookRow // the first rows, also those above the table
	Rows            [][]string     // the first rows of the table
	// Problem says why the list is not read as it stands, in a sentence for
	// people; empty: it is.
	Problem string
	Earlier string // whose results the list has: "rcpt", a service such as "ZeroBounce"; empty: none
}

// Column is a column of a list. Filled and Held are of the first rows.
type Column struct {
	Name   string
	Choice string // what chooses it in a [Format]
	Filled int    // cells that are not empty
	Held   int    // of them, those that look like addresses
	Read   bool
}

// Choices tells whether other columns can be chosen.
func (l *Look) Choices() bool { return len(l.Columns) > 1 }

// Look reads the beginning of a list. It shows count rows of the table. The
// error is a *[ListError] where people cannot help by another choice, or a
// *[DiskError].
func (m *Manager) Look(s *Spool, f Format, count int) (l Look, err error) {
	text, as, err := m.text(context.Background(), s, f)
	if err != nil {
		return l, err
	}
	o := as.options()
	if s.sheet == nil {
		o.Sheet = as.Sheet // refused
	}
	found, err := list.LookAt(text.Reader(), o)
	if err != nil {
		if len(s.sheets()) < 2 {
			return l, &ListError{err}
		}
		found.Problem = err
	}
	l = Look{
		Sheets: s.sheets(), HeaderRow: found.HeaderRow, Encoding: found.Encoding,
		EncodingGuessed: found.EncodingWhy == list.Guessed, Earlier: found.Earlier,
	}
	for i, c := range found.Columns {
		l.Columns = append(l.Columns, Column{found.Title(i), found.Choose(i), c.Filled, c.Held, found.IsRead(i)})
	}
	for _, row := range found.Rows {
		if len(l.Rows) == count {
			break
		}
		l.First = append(l.First, row)
		if row.Number > max(found.Before, found.HeaderRow) {
			l.Rows = append(l.Rows, row.Cells)
		}
	}
	l.Problem = l.problem(found.Problem)
	return l, nil
}

// problem makes a sentence of an error.
func (l *Look) problem(err error) string {
	var wrong *list.FormatError
	isRead := func(c Column) bool { return c.Read }
	isHolding := func(c Column) bool { return c.Held > 0 }
	switch {
	case !errors.As(err, &wrong):
		return ""
	case wrong.Choice != "" || slices.ContainsFunc(l.Columns, isRead) || len(l.Columns) < 2:
		text := wrong.WithoutFlags()
		return strings.ToUpper(text[:1]) + text[1:] + "."
	case slices.ContainsFunc(l.Columns, isHolding):
		return "More than one column may hold the addresses: choose those to verify."
	}
	return "Found " + l.names() + ", but no e-mail addresses: are they in another column?"
}

// names lists the columns, or without a header the cells of the first row.
func (l *Look) names() string {
	var names []string
	for _, column := range l.Columns {
		names = append(names, column.Name)
	}
	if l.HeaderRow <= 0 && len(l.First) > 0 {
		names = slices.Clone(l.First[0].Cells)
	}
	more := ""
	if n := len(names) - mostNames; n > 0 {
		names, more = names[:mostNames], fmt.Sprintf(" and %d more", n)
	}
	for i, name := range names {
		names[i] = shown(name)
	}
	return strings.Join(names, ", ") + more
}

// mostNames is how many columns a sentence names.
const mostNames = 10

// MaxOctets is how large a list may be.
func (m *Manager) MaxOctets() int64 { return m.config.Limits.Octets }
