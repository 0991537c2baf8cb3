package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	number int // of the last row
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
	t, part, err := b.tokens(b.sheets[at].part)
	if err != nil {
		return nil, err
	}
	return &Rows{book: b, tokens: t, size: int64(part.UncompressedSize64)}, nil
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
			if octets += len(cell.Text); octets > MaxRow {
				err = errTooLong
			}
			if err != nil {
				return Row{}, fmt.Errorf("row %d: %w", number, err)
			}
			if cell.Text != "" {
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
	var value []byte
	var inline string
	inValue := false
	for {
		token, err := r.tokens.next()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Cell{}, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "v":
				inValue = true
			case "is":
				if inline, err = r.tokens.text("is"); err != nil {
					return Cell{}, err
				}
			}
		case xml.CharData:
			if inValue {
				value = append(value, token...)
			}
			if len(value) > MaxRow {
				return Cell{}, errTooLong
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "v":
				inValue = false
			case "c":
				return r.valueOf(start, string(value), inline)
			}
		}
	}
}

// valueOf is a cell by its type (ECMA-376 part 1 §18.18.11).
func (r *Rows) valueOf(start xml.StartElement, value, inline string) (Cell, error) {
	switch attribute(start, "t") {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return Cell{}, nil
		}
		text, err := r.book.strings.at(i)
		return Cell{Text, text}, err
	case "inlineStr":
		return Cell{Text, inline}, nil
	case "str", "e":
		return Cell{Text, unescape(value)}, nil
	case "b":
		if strings.TrimSpace(value) == "1" {
			return Cell{Bool, "TRUE"}, nil
		}
		return Cell{Bool, "FALSE"}, nil
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
