package list

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// csvKind is the [kind] of CSV.
type csvKind struct{}

func (csvKind) recognise(b *beginning) bool {
	lines := b.rows(0)
	if len(lines) == 0 {
		return false
	}
	named, _ := namedDelimiter(b.text)
	return named != 0 || isAddressName(lines[0]) ||
		b.hasColumns(len(b.Options.Columns) > 0 || b.Options.HeaderRow > 0)
}

// hasColumns reports whether a text is a table and not a list with one address
// per line. It has a delimiter, and columns are given, or the first row is a
// header, or more rows hold an address in a cell than are an address, or there
// are no addresses at all.
func (b *beginning) hasColumns(wanted bool) bool {
	delimiter := b.guessDelimiter()
	rows := b.rows(delimiter)
	if len(rows) == 0 { // a quote is never closed
		return false
	}
	first := cells(rows[0], delimiter)
	var parted, inCells, asTheyStand, asWide int
	for _, row := range rows {
		cells := cells(row, delimiter)
		if len(cells) > 1 {
			parted++
		}
		if len(cells) == len(first) {
			asWide++
		}
		if looksLikeAddress(row) {
			asTheyStand++
		} else if slices.ContainsFunc(cells, looksLikeAddress) {
			inCells++
		}
	}
	if parted == 0 {
		return false
	}
	header := len(first) > 1 && (slices.ContainsFunc(first, isAddressName) || !strings.Contains(rows[0], "@") &&
		asWide > len(rows)/2)
	return wanted || header || inCells > asTheyStand || inCells == 0 && asTheyStand == 0
}

func (csvKind) describe(b *beginning, d *Description) error {
	named, _ := namedDelimiter(b.text)
	switch {
	case named != 0:
		d.Delimiter = named
	case b.Options.Delimiter != 0:
		d.Delimiter = b.Options.Delimiter
	default:
		d.Delimiter = b.guessDelimiter()
	}
	return b.describeColumns(d)
}

func (b *beginning) describeColumns(d *Description) error {
	if err := b.checkFirstRow(d.Delimiter); err != nil {
		return err
	}
	d.first = b.table(d.Delimiter)
	rows, err := b.findTable(d, d.first)
	if err != nil {
		return err
	}
	if err := d.chooseColumns(rows, b.Options.Columns); err != nil {
		return err
	}
	if b.whole && d.Sampled == 0 && mayHoldAddress(d.Head+d.Header) {
		return formatError("row %d names the columns and no row is below it, but there is an \"@\": "+
			"write --header-row 0 if all rows are of the list", d.HeaderRow)
	}
	return nil
}

func (csvKind) shape(d *Description) shape { return newCSVShape(d) }

// csvShape is the [shape] of CSV. Rows are unchanged, and columns are added
// after the last one that the file declares.
type csvShape struct {
	*Description
	text      cellText
	delimiter byte
	width     int
	read      []int    // columns of the addresses, from 0
	readNames []string // of them
	earlier   []int    // columns that an earlier run added
	begin     string   // a byte order mark
	lineEnd   string
	keys      *names // names of the columns as fields of a JSON object
	record    string // field of the verification record
	sheet     bool   // the text was made from a sheet
}

func newCSVShape(d *Description) *csvShape {
	s := &csvShape{
		Description: d, text: d.cellText(), delimiter: d.Delimiter, width: len(d.Columns),
		readNames: d.readNames(), earlier: d.earlier(), lineEnd: string(d.RowEnd), sheet: d.Format == XLSX,
	}
	if d.Marked {
		s.begin = byteOrderMark
	}
	for _, choice := range d.Read {
		s.read = append(s.read, choice.Column)
	}
	s.keys = newNames(s.header())
	s.record = free(recordKey, s.keys.inOrder)
	return s
}

// header returns the names of the columns, none without a header.
func (d *Description) header() []string {
	if d.Header == "" {
		return nil
	}
	return d.columnNames()
}

// cut splits a row into its contents, with the quotes of RFC 4180, and its line
// end.
func (s *csvShape) cut(row string) (body, end string) {
	body, end = cutLineEnd(row)
	return withStandardQuotes(body, s.delimiter, s.width), end
}

func (s *csvShape) addresses(row string) ([]string, error) {
	body, _ := s.cut(row)
	fields, _ := split(body, s.delimiter)
	found := make([]string, len(s.read))
	formula, others := -1, false // a column with a formula, and whether another has something
	for n, i := range s.read {
		if i >= len(fields) {
			continue
		}
		field := body[fields[i].from:fields[i].to]
		found[n] = strings.TrimSpace(s.text.toUTF8(unquote(field)))
		if s.sheet && isUncalculated(field) {
			formula = i
		} else if found[n] != "" {
			others = true
		}
	}
	if formula >= 0 && !others {
		return nil, cellError{xlsx.ColumnName(formula), neverCalculated}
	}
	return found, nil
}

// cellError says what is wrong with a cell.
type cellError struct{ column, what string }

func (e cellError) Error() string { return "column " + e.column + ": " + e.what }

func (s *csvShape) cells(row string) []string {
	body, _ := s.cut(row)
	return s.cellsOf(body)
}

// cellsOf returns the contents of a row without its line end.
func (s *csvShape) cellsOf(body string) []string {
	contents := cells(body, s.delimiter)
	for i, cell := range contents {
		contents[i] = s.text.toUTF8(cell)
	}
	return contents
}

func (s *csvShape) names() []string {
	names := make([]string, s.width)
	for i := range names {
		names[i] = s.Title(i)
	}
	return names
}

// isMerged reports whether a row of several lines looks like several rows that
// a stray quote has merged: more than one of its lines, read alone, has an
// address in the address column.
func (s *csvShape) isMerged(row string) bool {
	body, _ := s.cut(row)
	if !strings.ContainsAny(body, "\r\n") {
		return false
	}
	held := 0
	for line := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '\r' || c == '\n' }) {
		if cells := strings.Split(line, string(s.delimiter)); s.read[0] < len(cells) &&
			looksLikeAddress(strings.Trim(cells[s.read[0]], "\"\r ")) {
			held++
		}
	}
	return held > 1
}

// earlierResults returns the results of an earlier run for a row.
func (s *csvShape) earlierResults(row string) []*rcpt.Result {
	if len(s.earlier) == 0 && s.service == nil {
		return nil
	}
	body, _ := s.cut(row)
	contents := s.cellsOf(body)
	if len(s.earlier) == 0 {
		return s.serviceResults(contents)
	}
	found := map[string]map[string]string{} // by suffix, and name
	for _, i := range s.earlier {
		name, suffix, _ := ourName(strings.TrimSpace(s.Columns[i].Name))
		if found[suffix] == nil {
			found[suffix] = map[string]string{}
		}
		if i < len(contents) {
			found[suffix][name] = contents[i]
		}
	}
	results := make([]*rcpt.Result, len(s.read))
	for n, name := range s.readNames {
		of := found[suffixFor(name)]
		if of == nil && s.Header == "" {
			of = found[suffixFor(strconv.Itoa(n+1))]
		}
		if of == nil && n == 0 {
			of = found[""]
		}
		results[n] = earlierResult(of)
	}
	return results
}

// withoutEarlier returns a row without the cells that an earlier run added.
func (s *csvShape) withoutEarlier(body string, fields []field) string {
	var kept []string
	for i, f := range fields {
		if !slices.Contains(s.earlier, i) {
			kept = append(kept, body[f.from:f.to])
		}
	}
	return strings.Join(kept, string(s.delimiter))
}

func (s *csvShape) csvHead(columns []string, o Output) []byte {
	var head []byte
	if o.Format != XLSX {
		begin := s.begin
		if s.sheet {
			begin = o.mark()
		}
		head = s.appendAbove([]byte(begin), o)
	}
	if s.Header == "" {
		return head
	}
	return s.appendCSV(head, s.Header, columns, o)
}

// appendAbove appends the rows above the table, which get no results. A sheet
// has none above its header, so that programs find it.
func (s *csvShape) appendAbove(out []byte, o Output) []byte {
	rows := rowReader{text: bufio.NewReader(strings.NewReader(s.Head)), delimiter: s.delimiter}
	for {
		row, err := rows.next()
		if err != nil {
			return out
		}
		body, end := s.cut(row)
		body, _ = s.safe(body, o)
		out = append(append(out, body...), end...)
	}
}

// safe returns a row without damage and dangerous cells, and its fields.
func (s *csvShape) safe(body string, o Output) (string, []field) {
	fields, damaged := split(body, s.delimiter)
	damaged = damaged || s.sheet && o.Format == CSV // a sheet has more quotes than CSV needs
	if damaged || !o.Raw && s.isDangerous(body, fields) {
		body = s.rewritten(body, damaged, o)
		fields, _ = split(body, s.delimiter)
	}
	return body, fields
}

func (s *csvShape) appendCSV(out []byte, row string, added []string, o Output) []byte {
	if o.Format == XLSX && !s.text.mixed {
		row = s.text.toUTF8(row)
	}
	body, end := s.cut(row)
	body, fields := s.safe(body, o)
	if len(s.earlier) > 0 {
		body = s.withoutEarlier(body, fields)
		fields, _ = split(body, s.delimiter)
	}
	width := s.width - len(s.earlier)
	at := fields[min(len(fields), width)-1].to
	out = append(out, body[:at]...)
	for range width - len(fields) {
		out = append(out, s.delimiter)
	}
	for _, cell := range added {
		if out = append(out, s.delimiter); o.Format != XLSX {
			cell = s.text.fitted(cell, row)
		}
		out = appendCell(out, cell, s.delimiter)
	}
	out = append(out, body[at:]...)
	if end == "" {
		end = s.lineEnd
	}
	return append(out, end...)
}

// isDangerous reports whether one of the fields is dangerous.
func (s *csvShape) isDangerous(body string, fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return isDangerous(unquote(body[f.from:f.to])) })
}

// rewritten returns a row with its dangerous cells made harmless and the others
// unchanged. In a damaged row all cells get the quotes of RFC 4180, since a
// stray quote could swallow the added cells.
func (s *csvShape) rewritten(body string, damaged bool, o Output) string {
	var row []byte
	fields, _ := split(body, s.delimiter)
	for i, f := range fields {
		if i > 0 {
			row = append(row, s.delimiter)
		}
		cell := unquote(body[f.from:f.to])
		switch dangerous := !o.Raw && isDangerous(cell); {
		case dangerous:
			row = appendCell(row, "'"+cell, s.delimiter)
		case damaged:
			row = appendCell(row, cell, s.delimiter)
		default:
			row = append(row, body[f.from:f.to]...)
		}
	}
	return string(row)
}

func (s *csvShape) appendJSON(out []byte, row string, record []byte) []byte {
	found := s.cells(row)
	out = append(out, '{')
	for i := range max(len(found), s.width) {
		if slices.Contains(s.earlier, i) {
			continue
		}
		cell := "" // of a short row
		if i < len(found) {
			cell = found[i]
		}
		out = appendString(out, s.keys.of(i))
		out = append(out, ':')
		out = appendString(out, cell)
		out = append(out, ',')
	}
	out = appendString(out, s.record)
	out = append(out, ':')
	out = append(out, record...)
	return append(out, '}', '\n')
}

func (s *csvShape) taken() []string {
	var names []string
	for i, name := range s.header() {
		if !slices.Contains(s.earlier, i) {
			names = append(names, name)
		}
	}
	return names
}

// csvOutput is the [output] as CSV.
type csvOutput struct{}

func (csvOutput) head(w *Writer) []byte { return w.shape.csvHead(w.names(w.number), w.Output) }

func (csvOutput) append(out []byte, w *Writer, raw string, results []rcpt.Result) []byte {
	return w.shape.appendCSV(out, raw, w.addedCells(results), w.Output)
}

func (csvOutput) pack(to io.Writer, head []byte, packing Packing) (Packer, error) {
	return packText(to, head, packing)
}
