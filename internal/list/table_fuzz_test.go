package list

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// FuzzTables: whatever a text with tables is, reading it ends, and rows and
// columns are bounded.
func FuzzTables(f *testing.F) {
	for _, c := range tables {
		f.Add([]byte(c.text))
	}
	for _, c := range answers {
		f.Add([]byte(c.text[:min(len(c.text), 500)]))
	}
	f.Add([]byte(archive(f, "a.csv", "email\na@acme.example\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader(bytes.NewReader(text), Options{Columns: []string{"1"}, Folder: t.TempDir()})
		if err != nil {
			return
		}
		defer r.Close()
		for line := 0; ; {
			row, err := r.Next()
			if err != nil {
				return
			}
			if row.Line <= line || row.Columns > MaxColumns || len(row.Raw) > 2*MaxRow {
				t.Fatalf("row %d after row %d, %d columns", row.Line, line, row.Columns)
			}
			line = row.Line
		}
	})
}

// FuzzRowsOfTables: of a table that is written in each format every row is
// read, once and in its place, with its cells.
func FuzzRowsOfTables(f *testing.F) {
	f.Add("Jane", "a note, with \"quotes\"", uint8(3))
	f.Add("<b>&amp;", "x;y\\,z:", uint8(40))
	f.Add("Jörg 漢字", "=1+1", uint8(9))
	f.Fuzz(func(t *testing.T, name, note string, count uint8) {
		name, note = shownText(strings.ToValidUTF8(name, "")), shownText(strings.ToValidUTF8(note, ""))
		if strings.ContainsFunc(name+note, func(r rune) bool {
			return r < ' ' || r == 0xFFFE || r == 0xFFFF || r == '@' || r == '\uFF20' || r == '\uFE6B' || r == 0x85 || r == 0xFEFF
		}) {
			return
		}
		rows := [][]string{{"email", "name", "note"}}
		for i := range int(count)%40 + 1 {
			rows = append(rows, []string{fmt.Sprintf("a%d@acme.example", i), name, note}[:1+i%3])
		}
		for kind, write := range map[string]func([][]string) string{"HTML": asHTML, "XML": asXML, "JSON": asArrays, "vCard": asCards, "LDIF": asEntries} {
			want := rows
			if kind == "vCard" || kind == "LDIF" {
				want = nil
				for _, row := range rows {
					want = append(want, row[:1])
				}
			}
			r, err := NewReader(strings.NewReader(write(want)), Options{Columns: []string{"email"}, Encoding: "utf-8", Folder: t.TempDir()})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			names := r.Names()
			for _, wanted := range want[1:] {
				row, err := r.Next()
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				cells := r.Cells(row.Raw)
				for i, cell := range wanted {
					if at := slices.Index(names, want[0][i]); at < len(cells) && cells[at] != cell || at >= len(cells) && cell != "" {
						t.Fatalf("%s: %q became %q", kind, wanted, cells)
					}
				}
			}
			if row, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("%s: behind the last row is %q, %v", kind, row.Raw, err)
			}
			check(t, r.Close())
		}
	})
}

func asHTML(rows [][]string) string {
	var out strings.Builder
	out.WriteString("<table>")
	for _, row := range rows {
		out.WriteString("<tr>")
		for _, cell := range row {
			out.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
	}
	return out.String()
}

func asXML(rows [][]string) string {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="x"><Worksheet ss:Name="a"><Table>`)
	for _, row := range rows {
		out.WriteString("<Row>")
		for _, cell := range row {
			out.WriteString(`<Cell><Data ss:Type="String">` + html.EscapeString(cell) + "</Data></Cell>")
		}
		out.WriteString("</Row>")
	}
	return out.String() + "</Table></Worksheet></Workbook>"
}

func asArrays(rows [][]string) string {
	var out []byte
	for _, row := range rows {
		out = append(append(out, marshal(row)...), '\n')
	}
	return string(out)
}

func asCards(rows [][]string) string {
	var out strings.Builder
	for _, row := range rows[1:] {
		out.WriteString("BEGIN:VCARD\r\nEMAIL:" + row[0][:1] + "\r\n " + row[0][1:] + "\r\nEND:VCARD\r\n")
	}
	return out.String()
}

func asEntries(rows [][]string) string {
	var out strings.Builder
	for _, row := range rows[1:] {
		out.WriteString("dn: cn=x\nmail: " + row[0][:1] + "\n " + row[0][1:] + "\n\n")
	}
	return out.String()
}

// FuzzMarkup: text in the cells of a page is read as it is shown.
func FuzzMarkup(f *testing.F) {
	f.Add("<table><tr><td>x<td colspan=3 rowspan=2>y<tr><td>z</table>")
	f.Add("<table><tr><td><table><td>a@b.example")
	f.Fuzz(func(t *testing.T, page string) {
		names, err := htmlNames(newText(strings.NewReader(page)))
		if err != nil {
			return
		}
		cells := 0
		for table := range min(len(names), 4) {
			next := htmlRows(newText(strings.NewReader(page)), table)
			for last := 0; ; {
				var row xlsx.Row
				if row, err = next(); err != nil {
					break
				}
				if row.Number <= last || len(row.Cells) > MaxColumns {
					t.Fatalf("row %d of %d cells after row %d", row.Number, len(row.Cells), last)
				}
				last, cells = row.Number, cells+len(row.Cells)
			}
		}
	})
}
