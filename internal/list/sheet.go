package list

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// sheetType is the media type of .xlsx.
const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// sheetKind is the [kind] of a spreadsheet, whose text is made by [sheetText].
type sheetKind struct{ csvKind }

func (sheetKind) recognise(*beginning) bool { return false } // its first octets tell

func (sheetKind) describe(b *beginning, d *Description) error {
	d.Delimiter = delimiters[0]
	return b.checkFormulas(d, b.describeColumns(d))
}

// sheetOutput is the [output] as a spreadsheet.
type sheetOutput struct{}

func (o sheetOutput) head(w *Writer) []byte {
	head := w.shape.csvHead(w.names(w.number), w.Output)
	if len(head) == 0 {
		return head
	}
	return o.appendRow(nil, w, head)
}

func (o sheetOutput) append(out []byte, w *Writer, raw string, results []rcpt.Result) []byte {
	return o.appendRow(out, w, w.shape.appendCSV(nil, raw, w.addedCells(results), w.Output))
}

// appendRow writes a row of CSV as a row of a sheet.
func (sheetOutput) appendRow(out []byte, w *Writer, csv []byte) []byte {
	body, _ := cutLineEnd(string(csv))
	fields, _ := split(body, w.Delimiter)
	return xlsx.AppendRow(out, w.sheetCells(body, fields))
}

func (sheetOutput) pack(to io.Writer, head []byte, _ Packing) (Packer, error) {
	return xlsx.NewWriter(to, head)
}

// Sheet is a sheet of a spreadsheet.
type Sheet struct {
	Name string
	Held int // addresses in its first rows
	Read bool
}

// Bounds of what is looked at to choose a sheet: a workbook may have ten
// thousand.
const (
	sheetsLooked = 50
	octetsLooked = 16 << 20 // of XML
)

// sheetText is a sheet as CSV with commas, so that all that is known about CSV
// holds for sheets too. Texts are in quotes and other values are not, which
// keeps them apart; behind a formula without a result is a blank. A row that is
// missing or empty is an empty line.
type sheetText struct {
	book book
	rows sheetRows
	all  []Sheet

	rest []byte // not read yet
	line int    // of the last row
	made int64
}

// openSheet opens the sheet with a name, or the one that holds addresses.
func (t *table) openSheet(r io.Reader, o Options) (*sheetText, error) {
	book, err := t.open(r, o)
	if err != nil {
		return nil, err
	}
	s := &sheetText{book: book, all: sheetsOf(book)}
	read := chosenSheet(s.all, o.Sheet)
	if read < 0 {
		_ = book.Close()
		return nil, choiceError(sheetChoice, "it has no sheet %q; the sheets are %s", o.Sheet, listed(book.Sheets()))
	}
	s.all[read].Read = true
	if s.rows, err = book.Rows(s.all[read].Name); err != nil {
		_ = book.Close()
		return nil, err
	}
	return s, nil
}

// chosenSheet returns the index of the sheet with a name, or else of the first
// that holds more than half as many addresses as any; -1: there is none. The
// name's case is ignored, as in formulas.
func chosenSheet(all []Sheet, name string) int {
	most := 0
	for _, sheet := range all {
		most = max(most, sheet.Held)
	}
	return slices.IndexFunc(all, func(sheet Sheet) bool {
		if name != "" {
			return strings.EqualFold(sheet.Name, name)
		}
		return sheet.Held > most/2 || most == 0
	})
}

// sheetsOf counts the addresses in the first rows of each of the first sheets.
// One that cannot be read has none.
func sheetsOf(book book) []Sheet {
	var all []Sheet
	left := int64(octetsLooked)
	for i, name := range book.Sheets() {
		sheet := Sheet{Name: name}
		if i < sheetsLooked && left > 0 {
			var octets int64
			sheet.Held, octets = heldIn(book, name)
			left -= octets
		}
		all = append(all, sheet)
	}
	return all
}

// heldIn counts the addresses in the first rows of a sheet, and the octets that
// were read for that.
func heldIn(book book, name string) (held int, octets int64) {
	rows, err := book.Rows(name)
	if err != nil {
		return 0, 0
	}
	defer rows.Close()
	for size, n := 0, 0; n < sampleRows && size < sampleSize; n++ {
		row, err := rows.Next()
		if err != nil {
			break
		}
		for _, cell := range row.Cells {
			text := linked(cell.Text, cell.Link)
			size += len(text)
			if looksLikeAddress(text) {
				held++
			}
		}
	}
	octets, _ = rows.Position()
	return held, octets
}

// otherSheets names the sheets that are not read, those with addresses first.
func otherSheets(all []Sheet) string {
	var holding, rest []string
	for _, sheet := range all {
		switch {
		case sheet.Read:
		case sheet.Held > 0:
			const text = "%s (addresses in its first rows: %d)"
			holding = append(holding, fmt.Sprintf(text, shownCell(sheet.Name), sheet.Held))
		default:
			rest = append(rest, shownCell(sheet.Name))
		}
	}
	names := append(holding, rest...)
	return strings.Join(names[:min(len(names), maxListed)], ", ")
}

// OfSheet names the sheet that is read in an error, and the others.
func OfSheet(all []Sheet, err error) error {
	others := otherSheets(all)
	var wrong *FormatError
	if others == "" || !errors.As(err, &wrong) {
		return err
	}
	at := slices.IndexFunc(all, func(sheet Sheet) bool { return sheet.Read })
	return choiceError(wrong.Choice, "sheet %s: %v; for another sheet write --sheet NAME: %s",
		shownCell(all[at].Name), err, others)
}

// Read reads the CSV.
func (s *sheetText) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		row, err := s.rows.Next()
		if err != nil {
			return 0, err
		}
		for s.line++; s.line < row.Number; s.line++ {
			s.rest = append(s.rest, '\n')
		}
		s.rest = append(appendSheetRow(s.rest, row.Cells), '\n')
		if s.made += int64(len(s.rest)); xlsx.TooLarge(s.made, s.book.Size()) {
			return 0, xlsx.ErrExpands
		}
	}
	n := copy(p, s.rest)
	if s.rest = s.rest[n:]; len(s.rest) == 0 {
		s.rest = s.rest[:0]
	}
	return n, nil
}

// Close removes temporary files.
func (s *sheetText) Close() error { return errors.Join(s.rows.Close(), s.book.Close()) }

func appendSheetRow(out []byte, cells []xlsx.Cell) []byte {
	for i, cell := range cells {
		if i > 0 {
			out = append(out, ',')
		}
		switch text := linked(cell.Text, cell.Link); {
		case cell.Kind == xlsx.Formula:
			out = append(appendQuoted(out, text), uncalculated)
		case cell.Kind == xlsx.Text && text != "":
			out = appendQuoted(out, text)
		default:
			out = append(out, text...)
		}
	}
	return out
}

// uncalculated stands behind the quotes of a formula whose result was never
// stored, where CSV allows a blank. A text that looks like one has none.
const uncalculated = ' '

func isUncalculated(field string) bool {
	return strings.HasPrefix(field, `"=`) && field[len(field)-1] == uncalculated
}

// neverCalculated is what is wrong with such a cell, and what to do.
const neverCalculated = "a formula that was never calculated; open and save the file in a spreadsheet program"

// checkFormulas fails if most cells of a column that is read, or of any if err
// is why none is, are formulas that were never calculated. Else it returns err.
func (b *beginning) checkFormulas(d *Description, err error) error {
	var filled, formulas []int
	for _, row := range b.rows(d.Delimiter) {
		fields, _ := split(row, d.Delimiter)
		for i, f := range fields {
			if i == len(filled) {
				filled, formulas = append(filled, 0), append(formulas, 0)
			}
			if row[f.from:f.to] != "" {
				filled[i]++
			}
			if isUncalculated(row[f.from:f.to]) {
				formulas[i]++
			}
		}
	}
	for i := range filled {
		mostly := formulas[i] > 0 && 2*formulas[i] >= filled[i] // with the name of the column
		if mostly && (err != nil || d.IsRead(i)) {
			return formatError("most cells of column %s hold %s", xlsx.ColumnName(i), neverCalculated)
		}
	}
	return err
}

// sheetCells are the fields of a row of CSV as the cells of a sheet. In a row
// that was one of a sheet, what has no quotes is a number or the like.
// Elsewhere all is text but for single digits, so that "0049" and "1E5" stay
// what they are.
func (w *Writer) sheetCells(body string, fields []field) []xlsx.Cell {
	text := cellText{w.text.encoding, true} // our cells are UTF-8, and so are rows in which all is in another encoding
	cells := make([]xlsx.Cell, 0, len(fields))
	for _, f := range fields {
		raw := body[f.from:f.to]
		cell := xlsx.Cell{Text: text.toUTF8(unquote(raw))}
		if w.sheet && !strings.HasPrefix(raw, `"`) || len(raw) == 1 {
			cell.Kind = xlsx.KindOf(cell.Text)
		}
		cells = append(cells, cell)
	}
	return cells
}
