package xlsx

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Name spaces and kinds of parts (ECMA-376 part 1 §12).
const (
	mainSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageSpace  = "http://schemas.openxmlformats.org/package/2006/"
	contentType   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	xmlHead       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

const styles = xmlHead + `<styleSheet xmlns="` + mainSpace + `">` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
	`<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
	`<fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
	`<xf numFmtId="46" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// frozen keeps the names of the columns in sight.
const frozen = `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>` +
	`<selection pane="bottomLeft"/>`

// sheetHead is a sheet before its rows. The widths are those of the columns.
func sheetHead(named bool, widths []int) string {
	var out strings.Builder
	out.WriteString(xmlHead + `<worksheet xmlns="` + mainSpace + `">`)
	if named {
		out.WriteString(`<sheetViews><sheetView workbookViewId="0">` + frozen + `</sheetView></sheetViews>`)
	}
	if len(widths) > 0 {
		out.WriteString("<cols>")
		for i, width := range widths {
			fmt.Fprintf(&out, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, width)
		}
		out.WriteString("</cols>")
	}
	out.WriteString("<sheetData>")
	return out.String()
}

// Bounds of the width of a column, in characters. Room is for the button of the
// filter.
const (
	leastWidth = 9
	mostWidth  = 60
	room       = 3
)

// widthsOf returns the widths that columns need for rows of [AppendRow].
func widthsOf(rows []byte) []int {
	var widths []int
	for _, cell := range bytes.Split(rows, []byte(`<c r="`))[1:] {
		letters, rest, _ := bytes.Cut(cell, []byte{thisRow})
		column := columnOf(string(letters), 0)
		for len(widths) < column {
			widths = append(widths, leastWidth)
		}
		widths[column-1] = max(widths[column-1], min(mostWidth, shown(rest)+room))
	}
	return widths
}

// shown is about how many characters of a cell are seen.
func shown(cell []byte) int {
	switch {
	case bytes.HasPrefix(cell, []byte(`"`+dateStyle)):
		return len(dateForm)
	case bytes.HasPrefix(cell, []byte(`"`+dateTimeStyle)):
		return len(dateTimeForm)
	case bytes.HasPrefix(cell, []byte(`"`+timeStyle)):
		return len(time.TimeOnly)
	}
	value, _, _ := bytes.Cut(cell, []byte("</"))
	count := 0
	for _, r := range string(value[bytes.LastIndexByte(value, '>')+1:]) {
		count++
		if r >= 0x1100 { // East Asian letters are twice as wide
			count++
		}
	}
	return count
}

type part struct{ name, text string }

// description returns the parts beside the sheets, of which each has a filter,
// or "".
func description(filters []string) []part {
	var types, tabs, relations, names strings.Builder
	for i, filter := range filters {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`,
			n, contentType)
		fmt.Fprintf(&tabs, `<sheet name="Sheet%d" sheetId="%d" r:id="rId%d"/>`, n, n, n)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`,
			n, relationSpace, n)
		if filter != "" {
			fmt.Fprintf(&names, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">Sheet%d!%s`+
				`</definedName>`, i, n, filter)
		}
	}
	if names.Len() > 0 {
		tabs.WriteString("</sheets><definedNames>" + names.String() + "</definedNames>")
	} else {
		tabs.WriteString("</sheets>")
	}
	return []part{
		{"xl/styles.xml", styles},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relationSpace + `">` +
			`<bookViews><workbookView/></bookViews><sheets>` + tabs.String() + `</workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="` + packageSpace + `relationships">` +
			relations.String() + fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`,
			len(filters)+1, relationSpace) + `</Relationships>`},
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
