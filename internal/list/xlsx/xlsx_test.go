package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf reads a sheet of a workbook, until an error.
func rowsOf(t *testing.T, book []byte, sheet string) ([]Row, error) {
	t.Helper()
	b, err := Read(bytes.NewReader(book), t.TempDir())
	if err != nil {
		return nil, err
	}
	defer b.Close()
	rows, err := b.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Row
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
}

func texts2cells(texts ...string) []Cell {
	cells := make([]Cell, 0, len(texts))
	for _, text := range texts {
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// TestOtherPrograms: workbooks that openpyxl and excelize wrote.
func TestOtherPrograms(t *testing.T) {
	for name, want := range map[string][]Row{
		"openpyxl": {
			{1, texts2cells("Name", "E-Mail", "Phone", "Since", "At", "Amount", "VIP", "Sum", "Note", "Big", "Zero")},
			{2, []Cell{
				{Text, `Doe, "Jane"`}, {Text, "alice@acme.example"}, {Text, "0049 30"}, {Date, "2024-01-31"}, {Date, "2024-01-31 13:45:01"},
				{Number, "12.5"}, {Bool, "TRUE"}, {}, {Text, "line 1\nline 2"}, {Number, "49123456789012"}, {Number, "0"},
			}},
			{3, nil},
			{4, []Cell{{Text, "Köln <&> A"}, {Text, "ghost@acme.example"}, {Text, "+49"}, {}, {}, {Number, "-0.1"}, {Bool, "FALSE"}, {}, {Text, "=1+1 not"}}},
		},
		"excelize": {
			{1, texts2cells("email", "since", "n", "rich")},
			{2, []Cell{{Text, "alice@acme.example"}, {Date, "2024-02-29"}, {Number, "1234567890123"}, {Text, "bold and plain"}}},
			{5, []Cell{{Text, "bob@acme.example"}, {Date, "2024-02-29 12:00:00"}, {Number, "0.3"}, {Text, "=cmd|x"}}},
		},
	} {
		octets, err := os.ReadFile(filepath.Join("testdata", name+".xlsx"))
		check(t, err)
		got, err := rowsOf(t, octets, "")
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSheets: a sheet by its name, in any case.
func TestSheets(t *testing.T) {
	octets, err := os.ReadFile("testdata/openpyxl.xlsx")
	check(t, err)
	rows, err := rowsOf(t, octets, "others")
	if err != nil || len(rows) != 1 || rows[0].Cells[1].Text != "bob@acme.example" {
		t.Errorf("%v, %v", rows, err)
	}
	if _, err := rowsOf(t, octets, "nothing"); err == nil || err.Error() != `it has no sheet "nothing"` {
		t.Error(err)
	}
}

// written is a workbook of rows.
func written(t *testing.T, most int, head []Cell, rows ...[]Cell) []byte {
	t.Helper()
	var out, headRow bytes.Buffer
	if head != nil {
		headRow.Write(AppendRow(nil, head))
	}
	w, err := NewWriter(&out, headRow.Bytes())
	check(t, err)
	w.most = most
	var octets []byte
	for _, row := range rows {
		octets = AppendRow(octets, row)
	}
	n, err := w.Write(octets)
	if err != nil || n != len(octets) {
		t.Fatalf("%d of %d octets, %v", n, len(octets), err)
	}
	check(t, w.Close())
	return out.Bytes()
}

// TestRoundTrip: what is written is read.
func TestRoundTrip(t *testing.T) {
	rows := [][]Cell{
		{{Text, "a@acme.example"}, {Number, "42"}, {Number, "-0.5"}, {Number, "1e-9"}, {Date, "2024-02-29"}, {Date, "2024-02-29 23:59:59"}, {Bool, "TRUE"}, {Bool, "FALSE"}},
		texts2cells("0049", "=1+1", "<&>\"'", "_x0041_ _x00", " blanks ", "a\r\nb\tc", "1e5", "<row>", "😀"),
		{{}, {Text, "behind nothing"}},
	}
	got, err := rowsOf(t, written(t, MaxRows, nil, rows...), "")
	check(t, err)
	for i := range rows {
		if diff := cmp.Diff(rows[i], got[i].Cells); diff != "" {
			t.Error(diff)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a\x00b\x1f\xff", "a\uFFFDb\uFFFD\uFFFD"},
		{strings.Repeat("a", maxText) + "b", strings.Repeat("a", maxText)},
		{strings.Repeat("😀", maxText), strings.Repeat("😀", maxText/2)},
	} {
		got, err := rowsOf(t, written(t, MaxRows, nil, texts2cells(c.text)), "")
		if err != nil || got[0].Cells[0].Text != c.want {
			t.Errorf("%.20q: %.40v, %v", c.text, got, err)
		}
	}
}

// TestNextSheet: rows that do not fit into a sheet are in the next.
func TestNextSheet(t *testing.T) {
	head := texts2cells("email")
	var rows [][]Cell
	for i := range 7 {
		rows = append(rows, texts2cells(fmt.Sprint(i)))
	}
	book := written(t, 4, head, rows...)
	for sheet, want := range map[string]string{"Sheet1": "email 0 1 2", "Sheet2": "email 3 4 5", "Sheet3": "email 6"} {
		got, err := rowsOf(t, book, sheet)
		check(t, err)
		var texts []string
		for _, row := range got {
			texts = append(texts, row.Cells[0].Text)
		}
		if joined := strings.Join(texts, " "); joined != want {
			t.Errorf("%s has %q, want %q", sheet, joined, want)
		}
	}
}

// TestKinds: a text that is a number or the like.
func TestKinds(t *testing.T) {
	for text, want := range map[string]Kind{
		"": Text, "1": Number, "-1.5e3": Number, "01": Text, "+1": Text, "1,5": Text, "Inf": Text, "0x1": Text, "1.": Text, "1e999": Text, strings.Repeat("9", 300) + "e99": Text, strings.Repeat("9", 300): Number, "TRUE": Bool, "true": Text,
		"2024-01-31": Date, "2024-01-32": Text, "2024-01-31 10:00:00": Date, "2024-01-31T10:00:00": Text,
	} {
		if got := KindOf(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestValues: numbers and dates as programs write them.
func TestValues(t *testing.T) {
	const styles = `<styleSheet><numFmts><numFmt numFmtId="165" formatCode="[Red]&quot;dy&quot;0.00"/><numFmt numFmtId="166" formatCode="[$-409]d\-mmm;@"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="20"/></cellXfs></styleSheet>`
	for _, c := range []struct{ cell, want string }{
		{`<c><v>4.9123456789E10</v></c>`, "49123456789"}, {`<c><v>1.5E300</v></c>`, "1.5e+300"}, {`<c><v> 7 </v></c>`, "7"}, {`<c><v>007</v></c>`, "7"},
		{`<c s="1"><v>45322</v></c>`, "2024-01-31"}, {`<c s="1"><v>45322.999999</v></c>`, "2024-02-01 00:00:00"}, {`<c s="1"><v>0.5</v></c>`, "0.5"}, {`<c s="1"><v>1e12</v></c>`, "1000000000000"},
		{`<c s="2"><v>45322</v></c>`, "45322"}, {`<c s="3"><v>45322</v></c>`, "2024-01-31"}, {`<c s="4"><v>0.25</v></c>`, "0.25"}, {`<c s="99"><v>1</v></c>`, "1"},
		{`<c t="e"><v>#N/A</v></c>`, "#N/A"}, {`<c t="str"><f>A1&amp;"x"</f><v>yx</v></c>`, "yx"}, {`<c t="s"><v>0</v></c>`, "shared"},
		{`<c t="inlineStr"><is><t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh></is></c>`, "漢字"}, {`<x:c t="d"><x:v>2024-01-31T00:00:00</x:v></x:c>`, "2024-01-31T00:00:00"},
	} {
		got, err := rowsOf(t, packed(t, `<row>`+c.cell+`</row>`, `<sst><si><r><t>sha</t></r><r><t>red</t></r></si></sst>`, styles), "")
		if err != nil || len(got) != 1 || len(got[0].Cells) != 1 || got[0].Cells[0].Text != c.want {
			t.Errorf("%s: %v, %v, want %q", c.cell, got, err, c.want)
		}
	}
}

// packed is a workbook of parts.
func packed(t testing.TB, rows, shared, styles string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	relation := func(kind, target string) string {
		return fmt.Sprintf(`<Relationship Id=%q Type="http://x/%s" Target=%q/>`, kind, kind, target)
	}
	for name, text := range map[string]string{
		"_rels/.rels":                "<Relationships>" + relation("officeDocument", "/xl/workbook.xml") + "</Relationships>",
		"xl/workbook.xml":            `<workbook><sheets><sheet name="a" r:id="worksheet"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": "<Relationships>" + relation("worksheet", "s.xml") + relation("sharedStrings", "t.xml") + relation("styles", "f.xml") + "</Relationships>",
		"xl/s.xml":                   "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
		"xl/t.xml":                   shared, "xl/f.xml": styles,
	} {
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
