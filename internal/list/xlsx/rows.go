package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Rows are the rows of a sheet.
type Rows struct {
	book   *Book
	tokens *tokens
	size   int64 // of the part, as the archive says
	read   atomic.Int64
	number int               // of the last row
	links  map[string]string // where the texts of cells lead, by their references
}

// Row is a row of a sheet, without empty cells at its end.
type Row struct {
	Number int // from 1; rows may be missing
	Cells  []Cell
}

// Rows returns the rows of a sheet, by its name or, if that is empty, of the
// first. The name's case is ignored, as in formulas.
func (b *Book) Rows(name string) (*Rows, error) {
	at := slices.IndexFunc(b.sheets, func(s sheet) bool { return name == "" || strings.EqualFold(s.name, name) })
	if at < 0 {
		return nil, fmt.Errorf("it has no sheet %q", name)
	}
	links, err := b.linksOf(b.sheets[at].part)
	if err != nil {
		return nil, err
	}
	t, part, err := b.tokens(b.sheets[at].part)
	if err != nil {
		return nil, err
	}
	return &Rows{book: b, tokens: t, size: int64(part.UncompressedSize64), links: links}, nil
}

// maxLinks bounds the links of a sheet; Excel allows 65,530.
const maxLinks = 1 << 17

// linksOf returns where the cells of a sheet lead, by their references: to
// addresses only. The links stand behind the rows.
func (b *Book) linksOf(sheet string) (map[string]string, error) {
	targets, err := b.relations(sheet, "/hyperlink", func(target, mode string) (string, bool) {
		const scheme = "mailto:"
		return target, len(target) > len(scheme) && strings.EqualFold(target[:len(scheme)], scheme)
	})
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	links := make(map[string]string)
	err = b.elements(sheet, func(e xml.StartElement) error {
		if target := targets[relationID(e)]; e.Name.Local == "hyperlink" && target != "" && len(links) < maxLinks {
			first, _, _ := strings.Cut(strings.ToUpper(attribute(e, "ref")), ":")
			links[first] = target
		}
		return nil
	})
	return links, err
}

// Position returns how far the sheet was read, and its size as the file says.
// It may be called while the rows are read.
func (r *Rows) Position() (read, size int64) { return r.read.Load(), r.size }

// Close closes the sheet.
func (r *Rows) Close() error { return r.tokens.part.Close() }

// Next returns the next row; io.EOF ends the sheet.
func (r *Rows) Next() (Row, error) {
	for {
		token, err := r.tokens.next()
		r.read.Store(r.tokens.read)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // sheetData was not closed
		}
		if err != nil {
			return Row{}, r.failed(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "row" {
				return r.row(token)
			}
		case xml.EndElement:
			if name := token.Name.Local; name == "sheetData" || name == "worksheet" {
				return Row{}, io.EOF
			}
		}
	}
}

func (r *Rows) failed(err error) error { return fmt.Errorf("after row %d: %w", r.number, err) }

// row reads the cells of a row.
func (r *Rows) row(start xml.StartElement) (Row, error) {
	number, err := strconv.Atoi(attribute(start, "r"))
	if err != nil || number <= r.number {
		number = r.number + 1
	}
	if number > MaxRows {
		return Row{}, r.failed(fmt.Errorf("there are more than %d rows", MaxRows))
	}
	r.number = number
	row, octets, column := Row{Number: number}, 0, 0
	for {
		token, err := r.tokens.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Row{}, fmt.Errorf("row %d: %w", number, err)
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "row" {
				return row, nil
			}
		case xml.StartElement:
			if token.Name.Local != "c" {
				continue
			}
			if column = columnOf(attribute(token, "r"), column); column > MaxColumns {
				return Row{}, fmt.Errorf("row %d has more than %d columns", number, MaxColumns)
			}
			cell, err := r.cell(token)
			if link := r.links[strings.ToUpper(attribute(token, "r"))]; link != "" && cell.Kind == Text {
				cell.Link = link
			}
			if octets += len(cell.Text); octets > MaxRow {
				err = errTooLong
			}
			if err != nil {
				return Row{}, fmt.Errorf("row %d: %w", number, err)
			}
			if cell.Text != "" || cell.Link != "" {
				row.Set(column, cell)
			}
		}
	}
}

// Set sets the cell of a column, from 1.
func (r *Row) Set(column int, cell Cell) {
	if missing := column - len(r.Cells); missing > 0 {
		r.Cells = append(r.Cells, make([]Cell, missing)...)
	}
	r.Cells[column-1] = cell
}

// columnOf is the column of a reference such as "AB12", or the next one.
func columnOf(reference string, last int) int {
	column := 0
	for _, c := range strings.ToUpper(reference) {
		if c < 'A' || c > 'Z' || column > MaxColumns {
			break
		}
		column = 26*column + int(c-'A') + 1
	}
	if column == 0 {
		return last + 1
	}
	return column
}

// cell reads a cell up to its end.
func (r *Rows) cell(start xml.StartElement) (Cell, error) {
	var value, formula []byte
	var inline string
	inValue, inFormula := false, false
	for {
		token, err := r.tokens.next()
		switch {
		case errors.Is(err, io.EOF):
			return Cell{}, io.ErrUnexpectedEOF
		case err != nil:
			return Cell{}, err
		case len(value)+len(formula) > MaxRow:
			return Cell{}, errTooLong
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "v":
				inValue = true
			case "f":
				inFormula, formula = true, append(formula, '=')
			case "is":
				if inline, err = r.tokens.text("is"); err != nil {
					return Cell{}, err
				}
			}
		case xml.CharData:
			switch {
			case inFormula:
				formula = append(formula, token...)
			case inValue:
				value = append(value, token...)
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "v":
				inValue = false
			case "f":
				inFormula = false
			case "c":
				cell, err := r.valueOf(start, string(value), inline)
				return r.calculated(cell, string(formula), attribute(start, "t")), err
			}
		}
	}
}

// calculated is a cell with what its formula says of it. A text that is empty
// may be a result; elsewhere none was stored.
func (r *Rows) calculated(cell Cell, formula, kind string) Cell {
	if formula == "" {
		return cell
	}
	if cell == (Cell{}) && kind != "str" || r.book.stale && cell == zero {
		cell = Cell{Kind: Formula, Text: formula}
	}
	if link := hyperlink.FindStringSubmatch(formula); link != nil { // it needs no calculation
		if cell.Kind != Text {
			cell = Cell{Text: strings.ReplaceAll(link[2], `""`, `"`)}
		}
		cell.Link = link[1]
	}
	return cell
}

// zero is what programs that do not calculate store as the result of a formula,
// if they store any.
var zero = Cell{Kind: Number, Text: "0"}

// hyperlink matches a formula that is a link to an address, with the text that
// it shows.
var hyperlink = regexp.MustCompile(`^(?i:=HYPERLINK\(\s*"(mailto:[^"]*)"\s*(?:,\s*"((?:[^"]|"")*)"\s*)?\))$`)

// valueOf is a cell by its type (ECMA-376 part 1 §18.18.11).
func (r *Rows) valueOf(start xml.StartElement, value, inline string) (Cell, error) {
	switch attribute(start, "t") {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return Cell{}, nil
		}
		text, err := r.book.strings.at(i)
		return Cell{Kind: Text, Text: text}, err
	case "inlineStr":
		return Cell{Kind: Text, Text: inline}, nil
	case "str", "e":
		return Cell{Kind: Text, Text: unescape(value)}, nil
	case "b":
		if strings.TrimSpace(value) == "1" {
			return Cell{Kind: Bool, Text: "TRUE"}, nil
		}
		return Cell{Kind: Bool, Text: "FALSE"}, nil
	case "d":
		return isoCell(strings.TrimSpace(value)), nil
	}
	if value = strings.TrimSpace(value); value == "" {
		return Cell{}, nil
	}
	style, err := strconv.Atoi(attribute(start, "s"))
	if err != nil || style < 0 || style >= len(r.book.formats) {
		return numberCell(value), nil
	}
	switch r.book.formats[style] {
	case Date:
		return dateCell(value, r.book.epoch), nil
	case Time:
		return timeCell(value), nil
	}
	return numberCell(value), nil
}
