package list

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// oldWorkbooks reads spreadsheets of Excel 2003 in XML (SpreadsheetML), which
// programs write by hand.
var oldWorkbooks = table{begins: beginsSpreadsheetML, open: textTables{oldSheets, oldRows, true}.open}

// oldSpace is the name space of such spreadsheets.
const oldSpace = "urn:schemas-microsoft-com:office:spreadsheet"

func beginsSpreadsheetML(_, text []byte) bool {
	root, _, _ := bytes.Cut(behindNotes(text), []byte(">"))
	first := bytes.Fields(bytes.TrimLeft(root, "<"))
	return len(first) > 0 && bytes.HasSuffix(first[0], []byte("Workbook")) && bytes.Contains(root, []byte(oldSpace))
}

// oldElements reads the elements of such a spreadsheet. Each is bounded.
type oldElements struct {
	limit   *allowance
	decoder *xml.Decoder
}

func newOldElements(text *bufio.Reader) *oldElements {
	limit := &allowance{below: text}
	decoder := xml.NewDecoder(limit)
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // it is decoded
	return &oldElements{limit, decoder}
}

func (e *oldElements) next() (xml.Token, error) {
	e.limit.left = 2 * MaxRow // the decoder reads ahead
	return e.decoder.RawToken()
}

// oldSheets returns the names of the sheets.
func oldSheets(text *bufio.Reader) (names []string, err error) {
	elements := newOldElements(text)
	for {
		token, err := elements.next()
		switch {
		case errors.Is(err, io.EOF) && len(names) == 0:
			return nil, formatError("it is a spreadsheet (XML) without a sheet: save it as .xlsx")
		case err != nil && len(names) > 0:
			return names, nil // an error comes again when the sheet is read
		case err != nil:
			return nil, fmt.Errorf("a spreadsheet (XML) is damaged: %w", err)
		}
		if e, is := token.(xml.StartElement); is && e.Name.Local == "Worksheet" && len(names) < maxTables {
			names = append(names, attributeOf(e, "Name"))
		}
	}
}

func attributeOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func oldRows(text *bufio.Reader, wanted int) func() (xlsx.Row, error) {
	r := &oldSheet{elements: newOldElements(text), skip: wanted}
	return r.next
}

// oldSheet reads the rows of a sheet.
type oldSheet struct {
	elements *oldElements
	skip     int // sheets before it
	isIn     bool
	row      xlsx.Row
	column   int // of the last cell, from 1
	merged   int // columns that this cell takes, too
	octets   int
	kind     string // of the data that is read; "": none is
	link     string
	text     []byte
}

// next returns the next row.
func (s *oldSheet) next() (xlsx.Row, error) {
	for {
		token, err := s.elements.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the sheet was not closed
		}
		ended := false
		if err == nil {
			switch token := token.(type) {
			case xml.StartElement:
				s.start(token)
			case xml.CharData:
				if s.kind != "" {
					s.text = append(s.text, token...)
				}
			case xml.EndElement:
				if s.isIn && token.Name.Local == "Worksheet" {
					return xlsx.Row{}, io.EOF
				}
				ended = s.end(token.Name.Local)
			}
			err = s.check()
		}
		if err != nil {
			return xlsx.Row{}, fmt.Errorf("row %d: %w", s.row.Number, err)
		}
		if ended {
			return s.row, nil
		}
	}
}

func (s *oldSheet) check() error {
	switch {
	case s.column > MaxColumns:
		return fmt.Errorf("it has more than %d columns", MaxColumns)
	case s.octets+len(s.text) > MaxRow:
		return fmt.Errorf("it has more than %d octets", MaxRow)
	case s.row.Number > xlsx.MaxRows:
		return fmt.Errorf("there are more than %d rows", xlsx.MaxRows)
	}
	return nil
}

func (s *oldSheet) start(e xml.StartElement) {
	index, _ := strconv.Atoi(attributeOf(e, "Index"))
	switch e.Name.Local {
	case "Worksheet":
		s.isIn = s.skip == 0
		s.skip--
	case "Row":
		s.row, s.column, s.octets = xlsx.Row{Number: max(index, s.row.Number+1)}, 0, 0
	case "Cell":
		s.column, s.link = max(index, s.column+1), attributeOf(e, "HRef")
		s.merged, _ = strconv.Atoi(attributeOf(e, "MergeAcross"))
		s.merged = max(0, min(s.merged, MaxColumns))
	case "Data":
		s.kind, s.text = attributeOf(e, "Type"), s.text[:0]
	case "Comment":
		s.column = -s.column // its text is another Data
	}
}

// end ends an element, and reports whether that was a row of the sheet.
func (s *oldSheet) end(name string) bool {
	switch {
	case name == "Row":
		return s.isIn
	case name == "Comment":
		s.column = -s.column
	case name == "Cell":
		s.column += s.merged
	case name == "Data" && s.isIn && s.column > 0:
		cell := xlsx.CellOf(s.kind, string(s.text))
		if cell.Kind == xlsx.Text {
			cell.Link = s.link
		}
		if s.octets += len(cell.Text); cell.Text != "" {
			s.row.Set(s.column, cell)
		}
	}
	if name == "Data" {
		s.kind, s.text = "", s.text[:0]
	}
	return false
}
