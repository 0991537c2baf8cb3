package list

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/rcpt/rcpt/internal/list/spool"
	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// book is what has tables: a workbook with its sheets, or a text that is read
// as if it were one, such as a page of HTML.
type book interface {
	Sheets() []string
	Rows(sheet string) (sheetRows, error)
	Size() int64 // of what it is read from, in octets
	Close() error
}

// sheetRows are the rows of a table.
type sheetRows interface {
	Next() (xlsx.Row, error) // io.EOF ends the table
	Position() (read, size int64)
	Close() error
}

// table says how a format is read that has the rows of a table, or of several.
type table struct {
	// begins reports whether a list is of this format. The text is that of the
	// octets, in UTF-8, without blanks before it.
	begins func(octets, text []byte) bool
	open   func(r io.Reader, o Options) (book, error)
}

// tableOf returns the table whose rows a list has, or nil.
func tableOf(octets []byte, whole bool, o Options) *table {
	if o.SheetText {
		return nil
	}
	var d Description
	if d.findEncoding(octets, whole, o) != nil {
		return nil // Describe says why
	}
	text := bytes.TrimLeft(d.textOf(octets, whole), " \t\r\n\v\f")
	for _, f := range formats {
		if f.table != nil && f.table.begins(octets, text) {
			return f.table
		}
	}
	return nil
}

// textTables says how a text is read that has tables.
type textTables struct {
	// names returns the names of the tables.
	names func(text *bufio.Reader) ([]string, error)
	// rows returns what reads the rows of a table, by its number from 0.
	rows func(text *bufio.Reader, table int) (next func() (xlsx.Row, error))
	// declares tells that such a text names its encoding itself.
	declares bool
}

// open reads a text into a spool.
func (t textTables) open(r io.Reader, o Options) (book, error) {
	file, err := spool.Of(r, o.Folder)
	if err != nil {
		return nil, err
	}
	b := &textBook{textTables: t, file: file, options: o}
	text, err := b.text(b.octets())
	if err == nil {
		b.tables, err = t.names(text)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// textBook is a text with tables.
type textBook struct {
	textTables
	file    *spool.Spool
	options Options
	tables  []string
}

func (b *textBook) octets() *io.SectionReader { return io.NewSectionReader(b.file, 0, b.file.Size()) }

// declared finds the encoding that a text of HTML or XML says it has.
var declared = regexp.MustCompile(`(?i)\b(?:charset|encoding)\s*=\s*["']?\s*([a-z0-9_.:-]+)`)

// declaredWithin is how far a text is searched for that.
const declaredWithin = 2048

// text returns the text of octets. Where none says what its encoding is, it may
// have cells that are not UTF-8.
func (b *textBook) text(octets io.Reader) (*bufio.Reader, error) {
	text := newText(octets)
	begin, whole, err := sampleOf(text)
	if err != nil {
		return nil, err
	}
	var d Description
	if err := d.findEncoding(begin, whole, b.options); err != nil {
		return nil, err
	}
	said := declared.FindSubmatch(begin[:min(len(begin), declaredWithin)])
	if d.EncodingWhy != Marked && d.EncodingWhy != Given && b.declares && said != nil {
		if named, err := CharsetNamed(string(said[1])); err == nil && !named.isWide() {
			d.Encoding, d.Mixed = named, false
		}
	}
	if d.Encoding == UTF8 || d.Mixed && d.Encoding == windows1252 { // cells are decoded alone
		d.Encoding = UTF8
		return d.reader(text)
	}
	d.Encoding, text = UTF8, newText(d.Encoding.encoding().NewDecoder().Reader(text))
	return d.reader(text)
}

func (b *textBook) Sheets() []string { return b.tables }
func (b *textBook) Size() int64      { return b.file.Size() }
func (b *textBook) Close() error     { return b.file.Close() }

func (b *textBook) Rows(name string) (sheetRows, error) {
	for i, table := range b.tables {
		if strings.EqualFold(table, name) {
			rows := &textRows{below: b.octets()}
			text, err := b.text(rows)
			if err != nil {
				return nil, err
			}
			rows.next = b.rows(text, i)
			return rows, nil
		}
	}
	return nil, formatError("it has no table %q", name)
}

// textRows are the rows of a table in a text.
type textRows struct {
	below *io.SectionReader
	read  atomic.Int64
	next  func() (xlsx.Row, error)
	err   error // the last
}

// Read reads for the text.
func (r *textRows) Read(p []byte) (int, error) {
	n, err := r.below.Read(p)
	r.read.Add(int64(n))
	return n, err
}

// Next returns the next row, and after an error the same one again.
func (r *textRows) Next() (row xlsx.Row, err error) {
	if r.err == nil {
		row, r.err = r.next()
	}
	return row, r.err
}

func (r *textRows) Position() (read, size int64) { return r.read.Load(), r.below.Size() }
func (r *textRows) Close() error                 { return nil }

// bookOf is a workbook as a book.
type bookOf struct{ *xlsx.Book }

func (b bookOf) Rows(sheet string) (sheetRows, error) { return b.Book.Rows(sheet) }

// singleTable names the one table of a text.
func singleTable(*bufio.Reader) ([]string, error) { return []string{""}, nil }

// linked is the text of a cell whose link leads to an address. The link is what
// is meant by "E-mail", or by a name.
func linked(text, link string) string {
	if link == "" {
		return text
	}
	scheme, at, found := strings.Cut(link, ":")
	at, _, _ = strings.Cut(at, "?")
	if unescaped, err := url.PathUnescape(at); err == nil {
		at = unescaped
	}
	at = strings.TrimSpace(at)
	switch {
	case !found || !strings.EqualFold(strings.TrimSpace(scheme), "mailto") || !strings.Contains(at, "@"),
		strings.Contains(text, "@"):
		return text
	case text == "":
		return at
	case strings.ContainsAny(text, `"\<>()[],;:`):
		text = `"` + strings.NewReplacer(`"`, "", `\`, "").Replace(text) + `"`
	}
	return text + " <" + at + ">"
}
