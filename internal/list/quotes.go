package list

import (
	"strings"
)

// quoteState is the state before the next octet of a CSV row.
type quoteState uint8

const (
	fieldStart  quoteState = iota
	unquoted               // in a field that does not begin with a quote; quotes have no meaning there
	quoted                 // in a field that does
	afterQuote             // after a quote that closes the field, or is the first of two
	afterBlanks            // after a closing quote and blanks
)

// quoteScanner scans the quotes of a CSV row. RFC 4180 doubles quotes inside a
// quoted field. If they are not doubled, a quote closes the field only before a
// delimiter or the end of the row, and such a field must end with its line.
type quoteScanner struct {
	delimiter byte
	strict    bool // the first stray quote ends the quoting of its field
	state     quoteState
	stray     bool // the field has a quote that should have been doubled
	damaged   bool // one of the fields had
}

// next takes the next octet of the row and reports whether it is the delimiter
// after a field.
func (s *quoteScanner) next(c byte) (fieldEnds bool) {
	switch {
	case s.state == quoted:
		if c == '"' {
			s.state = afterQuote
		}
		return false
	case s.state == fieldStart && c == '"':
		s.state, s.stray = quoted, false
		return false
	case c == s.delimiter:
		s.state = fieldStart
		return true
	case s.state == afterQuote || s.state == afterBlanks:
		s.behindQuote(c)
		return false
	}
	s.state = unquoted
	return false
}

// skip takes the next octets of the row and returns how many fields end in
// them.
func (s *quoteScanner) skip(part []byte) (fields int) {
	for _, c := range part {
		if s.state == unquoted && c != s.delimiter || s.state == quoted && c != '"' {
			continue
		}
		if s.next(c) {
			fields++
		}
	}
	return fields
}

func (s *quoteScanner) behindQuote(c byte) {
	switch {
	case c == '"' && s.state == afterQuote:
		s.state = quoted
	case c == ' ' || c == '\r':
		s.state = afterBlanks
	case s.strict:
		s.state, s.damaged = unquoted, true
	default:
		s.state, s.stray, s.damaged = quoted, true, true
	}
}

// open reports whether the row continues after the end of the line.
func (s *quoteScanner) open() bool { return s.state == quoted && !s.stray }

// field is the position of a field in a row.
type field struct{ from, to int }

// split finds the fields of a row without its line end. A damaged row has
// quotes that RFC 4180 does not allow.
func split(body string, delimiter byte) (fields []field, damaged bool) {
	scanner := quoteScanner{delimiter: delimiter}
	fields = scanner.fields(body)
	if scanner.state != quoted {
		return fields, scanner.damaged
	}
	scanner = quoteScanner{delimiter: delimiter, strict: true}
	if fields = scanner.fields(body); delimiter != '\t' || scanner.state != quoted {
		return fields, true
	}
	for i := fields[len(fields)-1].from; i < len(body); i++ { // its quote is text: see isUnclosed
		if body[i] == delimiter {
			fields[len(fields)-1].to = i
			fields = append(fields, field{i + 1, len(body)})
		}
	}
	return fields, true
}

// withStandardQuotes returns a row whose quotes are escaped by backslashes, as
// MySQL and Hive write them, in the form of RFC 4180. Other rows are unchanged:
// those that have the width of the list without it, or that lack it even so.
func withStandardQuotes(body string, delimiter byte, width int) string {
	if !strings.Contains(body, `\"`) {
		return body
	}
	if fields, damaged := split(body, delimiter); !damaged && len(fields) == width {
		return body
	}
	scanner := quoteScanner{delimiter: delimiter}
	var standard []byte
	for i := 0; i < len(body); i++ {
		part := body[i : i+1]
		if escaped := body[i:min(i+2, len(body))]; scanner.state == quoted && (escaped == `\"` || escaped == `\\`) {
			part = map[string]string{`\"`: `""`, `\\`: `\`}[escaped]
			i++
		}
		standard = append(standard, part...)
		scanner.skip([]byte(part))
	}
	if fields, damaged := split(string(standard), delimiter); damaged || len(fields) != width {
		return body
	}
	return string(standard)
}

func (s *quoteScanner) fields(body string) []field {
	var fields []field
	from := 0
	for i := range len(body) {
		if s.next(body[i]) {
			fields = append(fields, field{from, i})
			from = i + 1
		}
	}
	return append(fields, field{from, len(body)})
}

// cells returns the contents of a row's fields.
func cells(body string, delimiter byte) []string {
	fields, _ := split(body, delimiter)
	contents := make([]string, len(fields))
	for i, f := range fields {
		contents[i] = unquote(body[f.from:f.to])
	}
	return contents
}

// unquote removes the quotes of a field. One quote alone is text.
func unquote(raw string) string {
	inner, isQuoted := strings.CutPrefix(raw, `"`)
	if !isQuoted || !strings.Contains(inner, `"`) {
		return raw
	}
	if closed, found := strings.CutSuffix(strings.TrimRight(inner, " \r"), `"`); found {
		inner = closed
	}
	return strings.ReplaceAll(inner, `""`, `"`)
}

// appendCell writes a cell as CSV, with quotes if it needs them.
func appendCell(row []byte, cell string, delimiter byte) []byte {
	if !strings.ContainsAny(cell, "\"\r\n") && strings.IndexByte(cell, delimiter) < 0 &&
		strings.TrimSpace(cell) == cell {
		return append(row, cell...)
	}
	return appendQuoted(row, cell)
}

func appendQuoted(row []byte, cell string) []byte {
	row = append(row, '"')
	row = append(row, strings.ReplaceAll(cell, `"`, `""`)...)
	return append(row, '"')
}

// appendCells writes a row of CSV.
func appendCells(out []byte, cells []string, delimiter byte) []byte {
	for i, cell := range cells {
		if i > 0 {
			out = append(out, delimiter)
		}
		out = appendCell(out, cell, delimiter)
	}
	return append(out, '\n')
}

// cutLineEnd splits a row into its contents and its line end: a line feed,
// which carriage returns may precede, or carriage returns.
func cutLineEnd(row string) (body, end string) {
	body = strings.TrimRight(strings.TrimSuffix(row, string(LF)), string(CR))
	return body, row[len(body):]
}
