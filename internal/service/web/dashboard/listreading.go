package dashboard

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
)

// readingView is how a new list is read, and how else it can be.
type readingView struct {
	Sheet     string // that is read
	Sheets    []choice
	Headers   []choice // rows that may name the columns
	Encodings []choice // none: nothing was guessed
	Encoding  string   // how text was read; empty: there is nothing to say
	Holding   []choice // columns that hold addresses or are read
	Others    []choice
	Names     []string
	Read      []bool // which columns are
	Rows      [][]string
	Missing   string // why it is not read as it stands; empty: it is
}

// choice is a way to read a list.
type choice struct {
	Value, Name string
	Held        int // addresses in the first rows
	Chosen      bool
}

// readingOf is how a form or a path says that a list is read. Columns and the
// header of another sheet than that which the form showed mean nothing.
func readingOf(values url.Values) jobs.Format {
	f := jobs.Format{Sheet: values.Get("sheet"), Encoding: values.Get("encoding")}
	if shown := values.Get("shown"); shown != "" && shown != f.Sheet {
		return f
	}
	f.Columns = values["column"]
	if row, err := strconv.Atoi(values.Get("header_row")); err == nil {
		f.HeaderRow = row
		if row == 0 {
			f.HeaderRow = list.NoHeader
		}
	}
	return f
}

// readingQuery is that of a path of which [readingOf] makes the same.
func readingQuery(f jobs.Format) string {
	values := url.Values{}
	for name, value := range map[string]string{"sheet": f.Sheet, "encoding": f.Encoding} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(f.Columns) > 0 {
		values["column"] = f.Columns
	}
	if f.HeaderRow != 0 {
		values.Set("header_row", strconv.Itoa(max(0, f.HeaderRow)))
	}
	return values.Encode()
}

// withSiblings returns the columns that are read, and those that are named like
// one of them but for their numbers and hold addresses, as "E-mail 2 - Value"
// is named like "E-mail 1 - Value". Where it is not clear what is read, these
// are all that hold addresses, if they are named alike. Nil: there is no more
// than what is read.
func withSiblings(l *jobs.Look) (columns []string) {
	if l.HeaderRow == list.NoHeader {
		return nil
	}
	clear := l.Problem == ""
	sure := func(c jobs.Column) bool { return clear && c.Read || !clear && c.Held > 0 }
	plain := func(c jobs.Column) string { return strings.ToLower(digits.ReplaceAllString(c.Name, "")) }
	first := slices.IndexFunc(l.Columns, sure)
	for _, c := range l.Columns {
		switch {
		case first >= 0 && plain(c) == plain(l.Columns[first]) && (c.Held > 0 || sure(c)):
			columns = append(columns, c.Choice)
		case sure(c):
			return nil
		}
	}
	if clear && len(columns) < 2 {
		return nil
	}
	return columns
}

var digits = regexp.MustCompile(`\s*\d+`)

// shownHeaders is how many of the first rows are offered as a header.
const shownHeaders = 8

func readingViewOf(l *jobs.Look, f jobs.Format) readingView {
	r := readingView{Missing: l.Problem}
	for _, row := range l.Rows {
		short := max(0, len(l.Columns)-len(row))
		r.Rows = append(r.Rows, append(slices.Clone(row), make([]string, short)...))
	}
	for _, sheet := range l.Sheets {
		r.Sheets = append(r.Sheets, choice{sheet.Name, sheet.Name, sheet.Held, sheet.Read})
		if sheet.Read {
			r.Sheet = sheet.Name
		}
	}
	for _, column := range l.Columns {
		one := choice{column.Choice, column.Name, column.Held, column.Read && (l.Problem == "" || len(f.Columns) > 0)}
		r.Names, r.Read = append(r.Names, one.Name), append(r.Read, one.Chosen)
		if one.Chosen || one.Held > 0 {
			r.Holding = append(r.Holding, one)
		} else {
			r.Others = append(r.Others, one)
		}
	}
	r.noteHeaders(l, f)
	r.noteEncoding(l, f)
	return r
}

// Is tells whether a column is read.
func (r readingView) Is(column int) bool { return column < len(r.Read) && r.Read[column] }

// noteHeaders notes the rows that may name the columns. What was found has no
// value: it is found again.
func (r *readingView) noteHeaders(l *jobs.Look, f jobs.Format) {
	if l.HeaderRow == 0 {
		return
	}
	value := func(row int) string {
		if f.HeaderRow == 0 && row == l.HeaderRow {
			return ""
		}
		return strconv.Itoa(max(0, row))
	}
	for _, row := range l.First[:min(len(l.First), shownHeaders)] {
		name := fmt.Sprintf("Row %d: %s", row.Number, strings.Join(filled(row.Cells), ", "))
		r.Headers = append(r.Headers, choice{
			Value: value(row.Number), Name: cutText(name, 60), Chosen: row.Number == l.HeaderRow,
		})
	}
	r.Headers = append(r.Headers, choice{
		Value: value(list.NoHeader), Name: "No row names them", Chosen: l.HeaderRow == list.NoHeader,
	})
}

// noteEncoding notes the encodings of a text that is not UTF-8.
func (r *readingView) noteEncoding(l *jobs.Look, f jobs.Format) {
	if l.Encoding == "" || len(l.Sheets) > 0 || l.Encoding == list.UTF8 && f.Encoding == "" {
		return
	}
	r.Encoding = "Read as " + string(l.Encoding)
	if l.EncodingGuessed {
		r.Encoding += " (guessed)"
	}
	if f.Encoding == "" {
		r.Encodings = []choice{{Name: string(l.Encoding), Chosen: true}}
	}
	for _, c := range list.Charsets() {
		r.Encodings = append(r.Encodings, choice{
			Value: string(c.Name), Name: fmt.Sprintf("%s – %s", c.Name, c.For),
			Chosen: f.Encoding != "" && c.Name == l.Encoding,
		})
	}
}

// filled are the cells that are not empty.
func filled(cells []string) []string {
	return slices.DeleteFunc(slices.Clone(cells), func(cell string) bool { return strings.TrimSpace(cell) == "" })
}

// cutText cuts a text off after so many characters.
func cutText(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}
