// Package listtest makes lists for tests.
package listtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// Workbook is a spreadsheet with some sheets: of each the name and the rows,
// which are lines with cells between bars.
func Workbook(sheets ...string) string {
	const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var names, relations strings.Builder
	parts := map[string]string{
		"_rels/.rels": `<Relationships><Relationship Id="r" Type="` + relation +
			`/officeDocument" Target="w.xml"/></Relationships>`,
	}
	for i := 0; i < len(sheets); i += 2 {
		fmt.Fprintf(&names, `<sheet name="%s" r:id="s%d"/>`, sheets[i], i)
		fmt.Fprintf(&relations, `<Relationship Id="s%d" Type="%s/worksheet" Target="s%[1]d.xml"/>`, i, relation)
		var rows strings.Builder
		for row := range strings.SplitSeq(sheets[i+1], "\n") {
			rows.WriteString("<row>")
			for cell := range strings.SplitSeq(row, "|") {
				rows.WriteString(`<c t="inlineStr"><is><t>` + cell + `</t></is></c>`)
			}
			rows.WriteString("</row>")
		}
		parts[fmt.Sprintf("s%d.xml", i)] = `<worksheet><sheetData>` + rows.String() + `</sheetData></worksheet>`
	}
	parts["w.xml"] = `<workbook xmlns:r="` + relation + `"><sheets>` + names.String() + `</sheets></workbook>`
	parts["_rels/w.xml.rels"] = `<Relationships>` + relations.String() + `</Relationships>`
	return zipped(parts)
}

func zipped(parts map[string]string) string {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, text := range parts {
		part, err := archive.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := archive.Close(); err != nil {
		panic(err)
	}
	return out.String()
}
