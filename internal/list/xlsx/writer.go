package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// AppendRow appends a row to out as the XML that a [Writer] takes.
func AppendRow(out []byte, cells []Cell) []byte {
	out = append(out, rowStart...)
	for _, cell := range cells {
		out = appendCell(out, cell)
	}
	return append(out, "</row>"...)
}

// rowStart begins a row. The text of a cell cannot hold it, since it is
// escaped.
const rowStart = "<row>"

// Cell formats of the workbooks that are written.
const (
	dateStyle     = `<c s="1"><v>`
	dateTimeStyle = `<c s="2"><v>`
)

func appendCell(out []byte, cell Cell) []byte {
	switch date, err := dateOf(cell.Text); {
	case cell.Text == "":
		return append(out, "<c/>"...)
	case cell.Kind == Number:
		return append(append(append(out, "<c><v>"...), cell.Text...), "</v></c>"...)
	case cell.Kind == Bool:
		digit := byte('0')
		if cell.Text == "TRUE" {
			digit = '1'
		}
		return append(append(append(out, `<c t="b"><v>`...), digit), "</v></c>"...)
	case cell.Kind == Date && err == nil && !date.Before(epoch1900):
		style := dateStyle
		if len(cell.Text) > len(dateForm) {
			style = dateTimeStyle
		}
		return append(append(append(out, style...), daysOf(date)...), "</v></c>"...)
	}
	out = append(out, `<c t="inlineStr"><is><t xml:space="preserve">`...)
	out = appendText(out, cell.Text)
	return append(out, "</t></is></c>"...)
}

// Writer writes a workbook. Rows beyond [MaxRows] continue in another sheet,
// which begins with the same rows. A file without Close is no workbook.
type Writer struct {
	archive *zip.Writer
	sheet   io.Writer
	sheets  int
	rows    int    // of the present sheet
	head    []byte // rows with which each sheet begins
	most    int    // rows of a sheet
}

// NewWriter begins a workbook. Each sheet begins with the rows of head, of
// which the first is the names of the columns; there may be none.
func NewWriter(w io.Writer, head []byte) (*Writer, error) {
	x := &Writer{archive: zip.NewWriter(w), head: bytes.Clone(head), most: MaxRows}
	return x, x.nextSheet()
}

const sheetHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<worksheet xmlns="` + mainSpace + `">`

// frozen keeps the names of the columns in sight.
const frozen = `<sheetViews><sheetView workbookViewId="0">` +
	`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`

func (x *Writer) nextSheet() error {
	if err := x.endSheet(); err != nil {
		return err
	}
	x.sheets++
	var err error
	if x.sheet, err = x.archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", x.sheets)); err != nil {
		return err
	}
	start := sheetHead
	x.rows = bytes.Count(x.head, []byte(rowStart))
	if x.rows > 0 {
		start += frozen
	}
	if _, err = io.WriteString(x.sheet, start+"<sheetData>"); err == nil {
		_, err = x.sheet.Write(x.head)
	}
	return err
}

func (x *Writer) endSheet() error {
	if x.sheet == nil {
		return nil
	}
	_, err := io.WriteString(x.sheet, "</sheetData></worksheet>")
	return err
}

// Write writes whole rows of [AppendRow].
func (x *Writer) Write(rows []byte) (written int, err error) {
	for rest := rows; len(rest) > 0; {
		if x.rows >= x.most {
			if err := x.nextSheet(); err != nil {
				return written, err
			}
		}
		part := firstRows(rest, x.most-x.rows)
		n, err := x.sheet.Write(part)
		written += n
		if err != nil {
			return written, err
		}
		x.rows += bytes.Count(part, []byte(rowStart))
		rest = rest[len(part):]
	}
	return written, nil
}

// firstRows returns at most count rows.
func firstRows(rows []byte, count int) []byte {
	if bytes.Count(rows, []byte(rowStart)) <= count {
		return rows
	}
	at := 0
	for range count + 1 {
		at += bytes.Index(rows[at:], []byte(rowStart)) + len(rowStart)
	}
	return rows[:at-len(rowStart)]
}

// Flush writes what the archive has gathered. The rows so far cannot be read
// before Close.
func (x *Writer) Flush() error { return x.archive.Flush() }

// Close writes the parts that describe the sheets. It does not close the file.
func (x *Writer) Close() error {
	if err := x.endSheet(); err != nil {
		return err
	}
	for _, p := range description(x.sheets) {
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

// Name spaces and kinds of parts (ECMA-376 part 1 §12).
const (
	mainSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageSpace  = "http://schemas.openxmlformats.org/package/2006/"
	contentType   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	xmlHead       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

const styles = xmlHead + `<styleSheet xmlns="` + mainSpace + `">` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
	`<fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

type part struct{ name, text string }

// description returns the parts beside the sheets.
func description(sheets int) []part {
	var types, tabs, relations strings.Builder
	for i := 1; i <= sheets; i++ {
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`,
			i, contentType)
		fmt.Fprintf(&tabs, `<sheet name="Sheet%d" sheetId="%d" r:id="rId%d"/>`, i, i, i)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`,
			i, relationSpace, i)
	}
	return []part{
		{"xl/styles.xml", styles},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relationSpace + `">` +
			`<bookViews><workbookView/></bookViews><sheets>` + tabs.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="` + packageSpace + `relationships">` +
			relations.String() + fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`,
			sheets+1, relationSpace) + `</Relationships>`},
		{"_rels/.rels", xmlHead + `<Relationships xmlns="` + packageSpace + `relationships">` +
			`<Relationship Id="rId1" Type="` + relationSpace + `/officeDocument" Target="xl/workbook.xml"/>` +
			`</Relationships>`},
		{"[Content_Types].xml", xmlHead + `<Types xmlns="` + packageSpace + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + contentType + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + contentType + `styles+xml"/>` +
			types.String() + `</Types>`},
	}
}
