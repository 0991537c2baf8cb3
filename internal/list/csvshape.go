package list

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// csvShape is the [shape] of CSV. Rows are unchanged, and columns are added
// after the last one that the file declares.
type csvShape struct {
	layout
	delimiter byte
	begin     string // text before the header: a byte order mark, a line that names the delimiter
	header    string // the row itself
	lineEnd   string
	keys      *names // names of the columns as fields of a JSON object
	record    string // field of the verification record
	sheet     bool   // the text was made from a sheet
}

// newCSVShape finds the layout and reads up to the first row of data.
func newCSVShape(t *text, rows *rowReader, o Options, sheet bool) (*csvShape, error) {
	s := &csvShape{lineEnd: lineEndOf(t.sample), sheet: sheet}
	if t.marked {
		s.begin = byteOrderMark
	}
	named, length := namedDelimiter(t.sample)
	if sheet {
		named, length, s.lineEnd = delimiters[0], 0, "\n"
	}
	sample := t.sample[length:]
	switch {
	case named != 0:
		s.delimiter = named
	case o.Delimiter != 0:
		s.delimiter = o.Delimiter
	default:
		s.delimiter = guessDelimiter(sample, t.whole)
	}
	var err error
	if err := checkFirstRow(t, sample, s.delimiter); err != nil {
		return nil, err
	}
	if s.layout, err = layoutOf(sampleOf(sample, t.whole, s.delimiter), o.Columns); err != nil {
		return nil, err
	}
	if length > 0 {
		if s.header, err = rows.read(); err != nil {
			return nil, err
		}
		s.begin += s.header
	}
	rows.delimiter = s.delimiter
	if s.layout.header {
		if s.header, err = rows.read(); err != nil {
			return nil, err
		}
	}
	s.keys = newNames(s.names)
	s.record = free(recordKey, s.keys.inOrder)
	return s, nil
}

func (s *csvShape) addresses(row string) ([]string, error) {
	body, _ := cutLineEnd(row)
	fields, _ := split(body, s.delimiter)
	found := make([]string, len(s.read))
	for n, i := range s.read {
		if i < len(fields) {
			found[n] = strings.TrimSpace(toUTF8(unquote(body[fields[i].from:fields[i].to])))
		}
	}
	return found, nil
}

// isMerged reports whether a row of several lines looks like several rows that
// a stray quote has merged: more than one of its lines, read alone, has an
// address in the address column.
func (s *csvShape) isMerged(row string) bool {
	body, _ := cutLineEnd(row)
	if !strings.Contains(body, "\n") {
		return false
	}
	held := 0
	for line := range strings.SplitSeq(body, "\n") {
		if cells := strings.Split(line, string(s.delimiter)); s.read[0] < len(cells) &&
			looksLikeAddress(strings.Trim(cells[s.read[0]], "\"\r ")) {
			held++
		}
	}
	return held > 1
}

// earlierResults returns the results of an earlier run for a row.
func (s *csvShape) earlierResults(row string) []*engine.Result {
	if len(s.earlier) == 0 {
		return nil
	}
	body, _ := cutLineEnd(row)
	contents := cells(body, s.delimiter)
	groups := map[string]map[string]string{}
	for _, i := range s.earlier {
		name, group, _ := ourName(strings.TrimSpace(s.names[i]))
		if groups[group] == nil {
			groups[group] = map[string]string{}
		}
		if i < len(contents) {
			groups[group][name] = contents[i]
		}
	}
	results := make([]*engine.Result, len(s.read))
	for n, name := range s.readNames() {
		of := groups[group(name)]
		if of == nil && n == 0 {
			of = groups[""]
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
		head = []byte(s.begin)
	}
	if !s.layout.header {
		return head
	}
	return s.appendCSV(head, s.header, columns, o)
}

func (s *csvShape) appendCSV(out []byte, row string, added []string, o Output) []byte {
	body, end := cutLineEnd(row)
	fields, damaged := split(body, s.delimiter)
	damaged = damaged || s.sheet && o.Format == CSV // a sheet has more quotes than CSV needs
	if damaged || !o.Raw && s.isDangerous(body, fields) {
		body = s.rewritten(body, damaged, o)
		fields, _ = split(body, s.delimiter)
	}
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
		out = append(out, s.delimiter)
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
	body, _ := cutLineEnd(row)
	out = append(out, '{')
	for i, cell := range cells(body, s.delimiter) {
		if slices.Contains(s.earlier, i) {
			continue
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
	for i, name := range s.names {
		if !slices.Contains(s.earlier, i) {
			names = append(names, name)
		}
	}
	return names
}
