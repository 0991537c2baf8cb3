package tabular

import (
	"slices"
	"strings"
)

// csvShape is a [shape] of CSV. Rows are kept as they are, and columns are added behind the last one that the file declares.
type csvShape struct {
	layout
	delimiter byte
	begin     string // what stands before the header: a byte order mark, a line that names the delimiter
	header    string // the row itself
	lineEnd   string
	keys      names // of the columns as fields of a JSON object
}

// newCSVShape finds out the layout and reads up to the first row of data.
func newCSVShape(t *text, rows *rowReader, o Options) (*csvShape, error) {
	s := &csvShape{lineEnd: lineEndOf(t.sample)}
	if t.marked {
		s.begin = byteOrderMark
	}
	named, length := namedDelimiter(t.sample)
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
	if s.layout, err = layoutOf(sampleOf(sample, t.whole, s.delimiter), o.Column); err != nil {
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
		s.keys = newNames(s.names)
	}
	return s, nil
}

func (s *csvShape) address(row string) (string, error) {
	body, _ := cutLineEnd(row)
	fields, _ := split(body, s.delimiter)
	if s.column >= len(fields) {
		return "", nil
	}
	f := fields[s.column]
	return strings.TrimSpace(toUTF8(unquote(body[f.from:f.to]))), nil
}

func (s *csvShape) csvHead(columns []string, delimiter byte) []byte {
	head := []byte(s.begin)
	if !s.layout.header {
		return head
	}
	return s.appendCSV(head, s.header, columns, delimiter)
}

func (s *csvShape) appendCSV(out []byte, row string, added []string, _ byte) []byte {
	body, end := cutLineEnd(row)
	fields, damaged := split(body, s.delimiter)
	if damaged {
		body = s.repaired(body)
		fields, _ = split(body, s.delimiter)
	}
	at := fields[min(len(fields), s.width)-1].to
	out = append(out, body[:at]...)
	for range s.width - len(fields) {
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

// repaired writes a row with the quotes that RFC 4180 wants, since a stray one could take in the cells that are added.
func (s *csvShape) repaired(body string) string {
	var row []byte
	fields, _ := split(body, s.delimiter)
	for i, f := range fields {
		if i > 0 {
			row = append(row, s.delimiter)
		}
		row = appendCell(row, unquote(body[f.from:f.to]), s.delimiter)
	}
	return string(row)
}

func (s *csvShape) appendJSON(out []byte, row string, record []byte) []byte {
	body, _ := cutLineEnd(row)
	keys := slices.Clone(s.keys)
	out = append(out, '{')
	for i, cell := range cells(body, s.delimiter) {
		out = appendString(out, keys.of(i))
		out = append(out, ':')
		out = appendString(out, cell)
		out = append(out, ',')
	}
	out = appendString(out, free(recordKey, keys))
	out = append(out, ':')
	out = append(out, record...)
	return append(out, '}', '\n')
}

func (s *csvShape) taken() []string { return s.names }
