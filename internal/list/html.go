package list

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// htmlTables reads the tables of a page, as web shops, phpMyAdmin and office
// programs write them, often with a name that ends with .xls.
var htmlTables = table{begins: beginsHTML, open: textTables{htmlNames, htmlRows, true}.open}

// tag matches the first element of a page or a part of one. A list may begin
// with an address in angle brackets.
var tag = regexp.MustCompile(`^<([a-zA-Z][a-zA-Z0-9]*)[\s/>]`)

var doctype = regexp.MustCompile(`^(?i:<!doctype html)`)

func beginsHTML(_, text []byte) bool {
	text = behindNotes(text)
	if doctype.Match(text) {
		return true
	}
	found := tag.FindSubmatch(text)
	first := ""
	if found != nil {
		first = strings.ToLower(string(found[1]))
	}
	return first != "a" && atom.Lookup([]byte(first)) != 0 // lines may be links
}

// behindNotes returns what follows the comments and the declaration with which
// a text of HTML or XML may begin.
func behindNotes(text []byte) []byte {
	for {
		end := ""
		switch {
		case bytes.HasPrefix(text, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(text, []byte("<?")):
			end = "?>"
		default:
			return text
		}
		_, text, _ = bytes.Cut(text, []byte(end))
		text = bytes.TrimSpace(text)
	}
}

// Bounds of a page: a picture may be part of it.
const (
	maxMarkup = 8 << 20 // octets of an element or a text
	maxNested = 256     // tables within tables
	maxSpan   = 1000    // columns of a cell (HTML Standard, 4.9.11)
)

func newPage(text io.Reader) *html.Tokenizer {
	page := html.NewTokenizer(text)
	page.SetMaxBuf(maxMarkup)
	return page
}

// htmlNames numbers the tables.
func htmlNames(text *bufio.Reader) (names []string, err error) {
	page, frames := newPage(text), false
	for {
		kind := page.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken {
			continue
		}
		switch name, _ := page.TagName(); atom.Lookup(name) {
		case atom.Table:
			if len(names) < maxTables {
				names = append(names, fmt.Sprintf("Table %d", len(names)+1))
			}
		case atom.Frameset:
			frames = true
		}
	}
	switch err := page.Err(); {
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("a page of HTML: %w", err)
	case len(names) > 0:
		return names, nil
	case frames:
		return nil, formatError("it is a web page whose tables are in other files: save it as .xlsx, " +
			"or use the file of the table, such as sheet001.htm in the folder beside it")
	}
	return nil, formatError("it is a page of HTML without a table: save the list as CSV")
}

// maxTables bounds the tables of a page.
const maxTables = 10_000

// htmlRows reads the rows of a table.
func htmlRows(text *bufio.Reader, wanted int) func() (xlsx.Row, error) {
	t := &htmlTable{page: newPage(text), wanted: wanted}
	return t.next
}

// lineEnds replaces the line ends in the text of a page, which are blanks.
var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

// htmlTable is a table of a page. A table within a cell is another one.
type htmlTable struct {
	page   *html.Tokenizer
	wanted int
	tables int         // begun so far
	open   []openTable // those that the page is in
	hidden int         // in how many elements the page is whose text is not shown
	err    error

	number int // of the last row
	row    *xlsx.Row
	column int   // of the next cell
	spans  []int // how many rows the cells above take of each column from here on
	below  []int // and from the next row on
	octets int   // of the row

	cell       []byte
	link       string
	wide, high int
}

// openTable is a table by its number, and whether the page is in a cell of it.
type openTable struct {
	number int
	inCell bool
}

// next returns the next row.
func (t *htmlTable) next() (xlsx.Row, error) {
	for {
		var row *xlsx.Row
		kind := t.page.Next()
		if kind == html.ErrorToken {
			row, t.err = t.endRow(), cmp.Or(t.err, t.page.Err())
			if errors.Is(t.err, io.EOF) && row != nil {
				return *row, nil
			}
		} else {
			row = t.token(kind)
		}
		switch {
		case errors.Is(t.err, io.EOF):
			return xlsx.Row{}, io.EOF
		case t.err != nil:
			return xlsx.Row{}, fmt.Errorf("row %d: %w", t.number, t.err)
		case row != nil:
			return *row, nil
		}
	}
}

// now is the table that the page is in; its number is -1 outside tables.
func (t *htmlTable) now() *openTable {
	if len(t.open) == 0 {
		return &openTable{number: -1}
	}
	return &t.open[len(t.open)-1]
}

// token follows the page. It returns a row that has ended.
func (t *htmlTable) token(kind html.TokenType) (ended *xlsx.Row) {
	now := t.now()
	if kind == html.TextToken {
		if now.number == t.wanted && now.inCell && t.hidden == 0 {
			t.cell = append(t.cell, lineEnds.Replace(string(t.page.Text()))...)
		}
		if len(t.cell) > MaxRow {
			t.err = fmt.Errorf("a cell has more than %d octets", MaxRow)
		}
		return nil
	}
	raw, attributes := t.page.TagName()
	name := atom.Lookup(raw)
	switch {
	case name == atom.Table && kind == html.StartTagToken:
		if now.number >= 0 && !now.inCell { // it was not closed
			ended = t.endTable()
		}
		t.open = append(t.open, openTable{number: t.tables})
		if t.tables++; len(t.open) > maxNested {
			t.err = fmt.Errorf("there are more than %d tables within tables", maxNested)
		}
	case name == atom.Table && kind == html.EndTagToken && now.number >= 0:
		ended = t.endTable()
	case now.number != t.wanted:
		now.inCell = isInCell(name, kind, now.inCell)
	case kind == html.EndTagToken:
		ended = t.end(name)
	case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
		ended = t.start(name, attributes, kind)
	}
	return ended
}

// isInCell reports whether the page is in a cell behind an element.
func isInCell(name atom.Atom, kind html.TokenType, before bool) bool {
	switch name {
	case atom.Td, atom.Th:
		return kind == html.StartTagToken
	case atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot:
		return false
	}
	return before
}

func (t *htmlTable) endTable() (ended *xlsx.Row) {
	if t.now().number == t.wanted {
		ended = t.endRow()
	}
	t.open = t.open[:len(t.open)-1]
	return ended
}

// start begins an element of the table.
func (t *htmlTable) start(name atom.Atom, attributes bool, kind html.TokenType) (ended *xlsx.Row) {
	switch name {
	case atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot:
		if ended = t.endRow(); name == atom.Tr {
			t.beginRow()
		}
	case atom.Td, atom.Th:
		t.endCell()
		t.beginCell(attributes)
	case atom.A:
		if href := t.attributes(attributes)["href"]; t.now().inCell && linked("", href) != "" {
			t.link = href
		}
	case atom.Br, atom.P, atom.Div, atom.Li:
		t.cell = append(t.cell, '\n')
	case atom.Style, atom.Script, atom.Select, atom.Template:
		if kind == html.StartTagToken {
			t.hidden++
		}
	}
	return ended
}

func (t *htmlTable) end(name atom.Atom) (ended *xlsx.Row) {
	switch name {
	case atom.Td, atom.Th:
		t.endCell()
	case atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot:
		ended = t.endRow()
	case atom.Style, atom.Script, atom.Select, atom.Template:
		t.hidden = max(0, t.hidden-1)
	}
	return ended
}

func (t *htmlTable) beginRow() {
	t.number++
	t.row, t.column, t.octets = &xlsx.Row{Number: t.number}, 0, 0
}

// beginCell reads how many columns and rows a cell takes.
func (t *htmlTable) beginCell(attributes bool) {
	if t.row == nil {
		t.beginRow()
	}
	t.now().inCell, t.cell, t.link, t.hidden = true, t.cell[:0], "", 0
	all := t.attributes(attributes)
	span := func(name string, most int) int {
		number, err := strconv.Atoi(strings.TrimSpace(all[name]))
		if err != nil {
			return 1
		}
		return max(1, min(number, most))
	}
	t.wide, t.high = span("colspan", maxSpan), span("rowspan", xlsx.MaxRows)
}

func (t *htmlTable) attributes(more bool) map[string]string {
	if !more {
		return nil
	}
	all := make(map[string]string)
	for more {
		var name, value []byte
		name, value, more = t.page.TagAttr()
		all[string(name)] = string(value)
	}
	return all
}

// endCell puts the cell into the first column that no cell above takes.
func (t *htmlTable) endCell() {
	if !t.now().inCell {
		return
	}
	t.now().inCell = false
	for t.column < len(t.spans) && t.spans[t.column] > 0 {
		t.column++
	}
	if t.column+t.wide > MaxColumns {
		t.err = fmt.Errorf("it has more than %d columns", MaxColumns)
		return
	}
	cell := xlsx.Cell{Text: shownText(utf8OrWindows.toUTF8(string(t.cell))), Link: t.link}
	if t.octets += len(cell.Text) + len(cell.Link); t.octets > MaxRow {
		t.err = fmt.Errorf("it has more than %d octets", MaxRow)
	}
	if cell != (xlsx.Cell{}) {
		t.row.Set(t.column+1, cell)
	}
	if missing := t.column + t.wide - len(t.spans); missing > 0 {
		t.spans = append(t.spans, make([]int, missing)...)
		t.below = append(t.below, make([]int, missing)...)
	}
	for range t.wide {
		t.below[t.column] = t.high
		t.column++
	}
}

// endRow ends the row, if there is one.
func (t *htmlTable) endRow() *xlsx.Row {
	t.endCell()
	row := t.row
	if t.row = nil; row == nil {
		return nil
	}
	for column := range t.spans {
		t.spans[column] = max(0, t.spans[column]-1, t.below[column]-1)
		t.below[column] = 0
	}
	return row
}

// shownText is a text as a page shows it: blanks in a row are one.
func shownText(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
