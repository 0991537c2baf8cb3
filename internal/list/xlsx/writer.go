package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// AppendRow appends a row to out as the XML that a [Writer] takes. It does not
// know its number: [nextRow] and [thisRow] stand for it.
func AppendRow(out []byte, cells []Cell) []byte {
	out = append(out, rowStart...)
	for i, cell := range cells {
		if cell.Text != "" {
			out = appendCell(out, i, cell)
		}
	}
	return append(out, rowEnd...)
}

// Two characters that no XML holds stand for the number of a row until it is
// written: the first of a row counts.
const (
	nextRow = '\x01'
	thisRow = '\x02'
)

const (
	rowStart = `<row r="` + string(nextRow) + `">`
	rowEnd   = "</row>"
)

// Cell formats of the workbooks that are written. The number 0 is the format of
// a cell that names none.
const (
	dateStyle     = ` s="1"`
	dateTimeStyle = ` s="2"`
	headStyle     = ` s="3"`
	timeStyle     = ` s="4"`
)

func appendCell(out []byte, column int, cell Cell) []byte {
	out = append(out, `<c r="`...)
	out = append(appendColumn(out, column), thisRow, '"')
	switch date, err := dateOf(cell.Text); {
	case cell.Kind == Number:
		return appendValue(out, "", cell.Text)
	case cell.Kind == Bool && cell.Text == "TRUE":
		return appendValue(out, ` t="b"`, "1")
	case cell.Kind == Bool:
		return appendValue(out, ` t="b"`, "0")
	case cell.Kind == Date && err == nil && !date.Before(epoch1900) && len(cell.Text) == len(dateForm):
		return appendValue(out, dateStyle, daysOf(date))
	case cell.Kind == Date && err == nil && !date.Before(epoch1900):
		return appendValue(out, dateTimeStyle, daysOf(date))
	}
	if seconds, is := secondsOf(cell.Text); is && cell.Kind == Time {
		days := float64(seconds) / secondsOfDay
		return appendValue(out, timeStyle, strconv.FormatFloat(days, 'f', -1, 64))
	}
	out = append(out, ` t="inlineStr"><is><t xml:space="preserve">`...)
	out = appendText(out, cell.Text)
	return append(out, "</t></is></c>"...)
}

func appendValue(out []byte, attributes, value string) []byte {
	out = append(append(out, attributes...), "><v>"...)
	return append(append(out, value...), "</v></c>"...)
}

// ColumnName returns the letters of a column, from 0.
func ColumnName(column int) string { return string(appendColumn(nil, column)) }

// appendColumn appends the letters of a column, from 0.
func appendColumn(out []byte, column int) []byte {
	if column >= 26 {
		out = appendColumn(out, column/26-1)
	}
	return append(out, byte('A'+column%26))
}

// Writer writes a workbook. Rows beyond [MaxRows] continue in another sheet,
// which begins with the same rows. A file without Close is no workbook.
//
// It keeps no more than a sample of the rows, from which it takes the widths of
// the columns: the octets flow as the rows come.
type Writer struct {
	archive *zip.Writer
	sheet   io.Writer // nil while the first rows are held
	held    []byte    // the first rows, for the widths
	widths  []int     // of the columns, in characters
	filters []string  // for each sheet that ended, the cells that its filter is for
	rows    int       // of the present sheet
	head    []byte    // rows with which each sheet begins
	most    int       // rows of a sheet
	out     []byte    // for numbered
}

// NewWriter begins a workbook. Each sheet begins with the rows of head, of
// which the first is the names of the columns; there may be none.
func NewWriter(w io.Writer, head []byte) (*Writer, error) {
	if columns := len(widthsOf(head)); columns > MaxColumns {
		return nil, fmt.Errorf("it would have more than %d columns, which no sheet has", MaxColumns)
	}
	return &Writer{archive: zip.NewWriter(w), head: emphasized(head), most: MaxRows}, nil
}

// emphasized are rows whose texts and numbers have the format of a head.
func emphasized(rows []byte) []byte {
	const ref = string(thisRow) + `"`
	emphasis := strings.NewReplacer(ref+" t=", ref+headStyle+" t=", ref+"><v>", ref+headStyle+"><v>")
	return []byte(emphasis.Replace(string(rows)))
}

// sampled is how much of the rows the widths of the columns are taken from.
const sampled = 64 << 10

// Write writes whole rows of [AppendRow].
func (x *Writer) Write(rows []byte) (written int, err error) {
	if x.sheet == nil {
		x.held = append(x.held, rows...)
		if len(x.held) >= sampled {
			err = x.begin()
		}
		return len(rows), err
	}
	for rest := rows; len(rest) > 0; {
		if x.rows >= x.most {
			if err := x.nextSheet(); err != nil {
				return written, err
			}
		}
		part := firstRows(rest, x.most-x.rows)
		if err := x.append(part); err != nil {
			return written, err
		}
		written += len(part)
		rest = rest[len(part):]
	}
	return written, nil
}

// begin begins the first sheet, with the rows that were held.
func (x *Writer) begin() error {
	rows := x.held
	x.widths, x.held = widthsOf(append(bytes.Clone(x.head), rows...)), nil
	if err := x.nextSheet(); err != nil {
		return err
	}
	_, err := x.Write(rows)
	return err
}

// nextSheet ends the present sheet, if there is one, and begins another.
func (x *Writer) nextSheet() error {
	if err := x.endSheet(); err != nil {
		return err
	}
	var err error
	if x.sheet, err = x.archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(x.filters)+1)); err != nil {
		return err
	}
	x.rows = 0
	if _, err := io.WriteString(x.sheet, sheetHead(len(x.head) > 0, x.widths)); err != nil {
		return err
	}
	return x.append(x.head)
}

func (x *Writer) endSheet() error {
	if x.sheet == nil {
		return nil
	}
	end, filter := "</sheetData>", ""
	if len(x.head) > 0 && len(x.widths) > 0 {
		last := string(appendColumn(nil, len(x.widths)-1))
		filter = fmt.Sprintf("$A$1:$%s$%d", last, x.rows)
		end += fmt.Sprintf(`<autoFilter ref="A1:%s%d"/>`, last, x.rows)
	}
	x.filters = append(x.filters, filter)
	_, err := io.WriteString(x.sheet, end+"</worksheet>")
	return err
}

// append writes rows into the present sheet, with their numbers.
func (x *Writer) append(rows []byte) error {
	x.out = x.out[:0]
	from := 0
	for at, c := range rows {
		if c != nextRow && c != thisRow {
			continue
		}
		if c == nextRow {
			x.rows++
		}
		x.out = strconv.AppendInt(append(x.out, rows[from:at]...), int64(x.rows), 10)
		from = at + 1
	}
	x.out = append(x.out, rows[from:]...)
	_, err := x.sheet.Write(x.out)
	return err
}

// firstRows returns at most count rows.
func firstRows(rows []byte, count int) []byte {
	at := 0
	for range count {
		next := bytes.Index(rows[at:], []byte(rowEnd))
		if next < 0 {
			return rows
		}
		at += next + len(rowEnd)
	}
	return rows[:at]
}

// Flush writes what the archive has gathered. The rows so far cannot be read
// before Close.
func (x *Writer) Flush() error { return x.archive.Flush() }

// Close writes the parts that describe the sheets. It does not close the file.
func (x *Writer) Close() error {
	if x.sheet == nil {
		if err := x.begin(); err != nil {
			return err
		}
	}
	if err := x.endSheet(); err != nil {
		return err
	}
	for _, p := range description(x.filters) {
		part, err := x.archive.Create(p.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(part, p.text); err != nil {
			return err
		}
	}
	return x.archive.Close()
}
