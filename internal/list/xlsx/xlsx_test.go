package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func check(t testing.TB, err error) {
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
				{Kind: Text, Text: `Doe, "Jane"`}, {Kind: Text, Text: "alice@acme.example"}, {Kind: Text, Text: "0049 30"}, {Kind: Date, Text: "2024-01-31"}, {Kind: Date, Text: "2024-01-31 13:45:01"},
				{Kind: Number, Text: "12.5"}, {Kind: Bool, Text: "TRUE"}, {Kind: Formula, Text: "=F2*2"}, {Kind: Text, Text: "line 1\nline 2"}, {Kind: Number, Text: "49123456789012"}, {Kind: Number, Text: "0"},
			}},
			{3, nil},
			{4, []Cell{{Kind: Text, Text: "Köln <&> A"}, {Kind: Text, Text: "ghost@acme.example"}, {Kind: Text, Text: "+49"}, {}, {}, {Kind: Number, Text: "-0.1"}, {Kind: Bool, Text: "FALSE"}, {}, {Kind: Text, Text: "=1+1 not"}}},
		},
		"excelize": {
			{1, texts2cells("email", "since", "n", "rich")},
			{2, []Cell{{Kind: Text, Text: "alice@acme.example"}, {Kind: Date, Text: "2024-02-29"}, {Kind: Number, Text: "1234567890123"}, {Kind: Text, Text: "bold and plain"}}},
			{5, []Cell{{Kind: Text, Text: "bob@acme.example"}, {Kind: Date, Text: "2024-02-29 12:00:00"}, {Kind: Number, Text: "0.3"}, {Kind: Text, Text: "=cmd|x"}}},
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

// TestCustomers: one list as several programs write it. Only openpyxl does not
// calculate formulas.
func TestCustomers(t *testing.T) {
	const formulas = 7
	list := []Row{
		{1, texts2cells("Kunde", "E-Mail", "Telefon", "Seit", "Zuletzt", "Betrag", "Newsletter", "Summe", "Notiz", "Konto", "PLZ")},
		{2, []Cell{
			{Kind: Text, Text: "Müller, Anna"}, {Kind: Text, Text: "anna@acme.example"}, {Kind: Text, Text: "+49 30 0001"}, {Kind: Date, Text: "2024-01-31"}, {Kind: Date, Text: "2024-01-31 13:45:01"},
			{Kind: Number, Text: "12.5"}, {Kind: Bool, Text: "TRUE"}, {Kind: Number, Text: "25"}, {Kind: Text, Text: "line 1\nline 2"}, {Kind: Number, Text: "49123456789012"}, {Kind: Text, Text: "01067"},
		}},
		{3, []Cell{
			{Kind: Text, Text: `O'Brien <Ltd> & "Sons"`}, {Kind: Text, Text: "bob@acme.example"}, {Kind: Text, Text: "0049"}, {}, {},
			{Kind: Number, Text: "-0.1"}, {Kind: Bool, Text: "FALSE"}, {Kind: Text, Text: "bob@acme.example"}, {Kind: Text, Text: "=1+1"}, {Kind: Number, Text: "0"}, {Kind: Text, Text: "00000"},
		}},
		{5, []Cell{{Kind: Text, Text: "漢字 😀"}, {Kind: Text, Text: "ghost@acme.example"}, {Kind: Text, Text: " blanks "}, {Kind: Date, Text: "1999-12-31"}}},
	}
	for _, program := range []string{"libreoffice", "exceljs", "sheetjs", "sheetjs-dates", "openpyxl"} {
		octets, err := os.ReadFile("testdata/customers-" + program + ".xlsx")
		check(t, err)
		got, err := rowsOf(t, octets, "Kunden")
		check(t, err)
		if program == "openpyxl" {
			for i, formula := range []string{"=F2*2", `=B3&""`} {
				list[1+i].Cells[formulas] = Cell{Kind: Formula, Text: formula}
			}
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("%s: %s", program, diff)
		}
		book, err := Read(bytes.NewReader(octets), t.TempDir())
		check(t, err)
		if names := strings.Join(book.Sheets(), " "); names != "Info Kunden Archiv" {
			t.Errorf("%s: the sheets are %s", program, names)
		}
		check(t, book.Close())
	}
}

// TestFound: workbooks that people made with programs that cost money, or with
// a browser.
func TestFound(t *testing.T) {
	for name, want := range map[string]string{
		"excel-mac":      "Name,Date,Number,Formula/Alice,2020-03-20,24315,1215.75/Bob,2020-04-17,21345,1067.25/Charlie,2020-02-08,32145,1607.25",
		"excel-windows":  "Column A,Column B,Column C/1/2/3/4",
		"excel-overflow": "8595602512225",
		"google-sheets":  "This is a test spreadsheet,It has a couple of columns/as well as a couple of rows,hello hello",
		"numbers":        "编号",
		"wps":            "编号/编号/,,编号",
		"tencent":        "w,w,w,w,w,w,w,w,w,w,w,w,w/w,w,,,w,w,w,w,w,w,,w",
		"gnumeric":       "Contact ID,Phone Number,A letter?,formula/9876543,12345678901,v!,17658671046",
	} {
		octets, err := os.ReadFile("testdata/" + name + ".xlsx")
		check(t, err)
		rows, err := rowsOf(t, octets, "")
		check(t, err)
		var lines []string
		for _, row := range rows {
			var cells []string
			for _, cell := range row.Cells {
				cells = append(cells, cell.Text)
			}
			if len(cells) > 0 {
				lines = append(lines, strings.Join(cells, ","))
			}
		}
		if got := strings.Join(lines, "/"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestOtherKinds: files of other programs are named.
func TestOtherKinds(t *testing.T) {
	for _, c := range []struct{ part, text, want string }{
		{"mimetype", "application/vnd.oasis.opendocument.spreadsheet", "it is an OpenDocument spreadsheet (.ods)"},
		{"xl/workbook.bin", "\x83\x01", "it is a binary workbook (.xlsb)"},
		{"Index/Document.iwa", "", "it is a document of Numbers or Pages"},
		{"word/document.xml", "<w:document/>", "it is a text document (.docx)"},
		{"mimetype", "application/epub+zip", "it is a book (.epub)"},
		{"mimetype", "application/vnd.oasis.opendocument.text", "it is an OpenDocument file (.odt, .odp)"},
		{"ppt/presentation.xml", "", "it is a presentation (.pptx)"},
		{"mimetype", "application/x", "it is no .xlsx workbook"},
	} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		part, err := w.Create(c.part)
		check(t, err)
		_, err = io.WriteString(part, c.text)
		check(t, err)
		check(t, w.Close())
		if _, err := rowsOf(t, out.Bytes(), ""); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.part, err, c.want)
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
func written(t testing.TB, most int, head []Cell, rows ...[]Cell) []byte {
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
		{{Kind: Text, Text: "a@acme.example"}, {Kind: Number, Text: "42"}, {Kind: Number, Text: "-0.5"}, {Kind: Number, Text: "1E-09"}, {Kind: Date, Text: "2024-02-29"}, {Kind: Date, Text: "2024-02-29 23:59:59"}, {Kind: Bool, Text: "TRUE"}, {Kind: Bool, Text: "FALSE"}},
		texts2cells("0049", "=1+1", "<&>\"'", "_x0041_ _x00", " blanks ", "a\r\nb\tc", "1e5", "<row>", "😀"),
		{{}, {Kind: Text, Text: "behind nothing"}},
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

// partOf is a part of a workbook, as it stands.
func partOf(t *testing.T, book []byte, name string) string {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	check(t, err)
	part, err := in.Open(name)
	check(t, err)
	octets, err := io.ReadAll(part)
	check(t, err)
	return string(octets)
}

// TestWrittenParts: what programs need in a sheet beside its values. Rows and
// cells have their references, without which exceljs and read-excel-file do not
// open a workbook (github.com/exceljs/exceljs/issues/2961). The first row is
// bold, frozen and a filter.
func TestWrittenParts(t *testing.T) {
	head := texts2cells("email", "a name of 20 letters")
	book := written(t, 3, head, texts2cells("a@acme.example"), []Cell{{}, {Kind: Date, Text: "2024-02-29"}, {Kind: Number, Text: "7"}}, []Cell{{Kind: Bool, Text: "TRUE"}})
	first, second := partOf(t, book, "xl/worksheets/sheet1.xml"), partOf(t, book, "xl/worksheets/sheet2.xml")
	const headRow = `<row r="1"><c r="A1" s="3" t="inlineStr"><is><t xml:space="preserve">email</t></is></c>` +
		`<c r="B1" s="3" t="inlineStr"><is><t xml:space="preserve">a name of 20 letters</t></is></c></row>`
	for _, c := range []struct{ what, in, want string }{
		{"widths", first, `<cols><col min="1" max="1" width="17" customWidth="1"/><col min="2" max="2" width="23" customWidth="1"/><col min="3" max="3" width="9" customWidth="1"/></cols><sheetData>`},
		{"the head", first, `state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><cols>`},
		{"rows", first, `<sheetData>` + headRow + `<row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">a@acme.example</t></is></c></row>` +
			`<row r="3"><c r="B3" s="1"><v>45351</v></c><c r="C3"><v>7</v></c></row></sheetData><autoFilter ref="A1:C3"/></worksheet>`},
		{"the next sheet", second, `<sheetData>` + headRow + `<row r="2"><c r="A2" t="b"><v>1</v></c></row></sheetData><autoFilter ref="A1:C2"/></worksheet>`},
		{"names", partOf(t, book, "xl/workbook.xml"), `</sheets><definedNames>` +
			`<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Sheet1!$A$1:$C$3</definedName>` +
			`<definedName name="_xlnm._FilterDatabase" localSheetId="1" hidden="1">Sheet2!$A$1:$C$2</definedName></definedNames></workbook>`},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("%s: want %s in\n%s", c.what, c.want, c.in)
		}
	}
	bare := written(t, 3, nil, texts2cells("a@acme.example"))
	if sheet := partOf(t, bare, "xl/worksheets/sheet1.xml"); strings.Contains(sheet, "autoFilter") || strings.Contains(sheet, "pane") || strings.Contains(sheet, `s="3"`) {
		t.Errorf("without names of columns: %s", sheet)
	}
}

// TestColumns: the letters of a column, there and back.
func TestColumns(t *testing.T) {
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", MaxColumns - 1: "XFD"} {
		got := string(appendColumn(nil, column))
		if got != want || columnOf(got+"12", 0) != column+1 {
			t.Errorf("column %d is %q, want %q; back: %d", column, got, want, columnOf(got, 0)-1)
		}
	}
}

// TestTooWide: a list with more columns than a sheet has is refused before the
// first octet.
func TestTooWide(t *testing.T) {
	row := make([]Cell, MaxColumns+1)
	row[MaxColumns-1].Text = "the last"
	if _, err := NewWriter(io.Discard, AppendRow(nil, row)); err != nil {
		t.Error(err)
	}
	row[MaxColumns].Text = "one more"
	if _, err := NewWriter(io.Discard, AppendRow(nil, row)); err == nil {
		t.Error("it is not refused")
	}
}

// TestWidths: what a cell shows decides, and not what it is in XML.
func TestWidths(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		want int
	}{
		{Cell{Kind: Text, Text: "a"}, leastWidth}, {Cell{Kind: Text, Text: strings.Repeat("a", 12)}, 15}, {Cell{Kind: Text, Text: strings.Repeat("\u6f22", 6)}, 15}, {Cell{Kind: Text, Text: strings.Repeat("\u00e9", 12)}, 15},
		{Cell{Kind: Text, Text: strings.Repeat("a", 500)}, mostWidth}, {Cell{Kind: Date, Text: "2024-02-29"}, 13}, {Cell{Kind: Date, Text: "2024-02-29 10:00:00"}, 22}, {Cell{Kind: Number, Text: "49123456789012"}, 17},
	} {
		if got := widthsOf(AppendRow(nil, []Cell{{}, c.cell})); len(got) != 2 || got[0] != leastWidth || got[1] != c.want {
			t.Errorf("%v: %v, want %d", c.cell, got, c.want)
		}
	}
}

// TestFlows: octets come out as the rows go in, and not at the end.
func TestFlows(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, nil)
	check(t, err)
	row := AppendRow(nil, texts2cells("somebody@acme.example"))
	for written := 0; written < 2*sampled; written += len(row) {
		_, err := w.Write(row)
		check(t, err)
	}
	check(t, w.Flush())
	if out.Len() == 0 || len(w.held) > 0 {
		t.Errorf("%d octets came out, %d are held", out.Len(), len(w.held))
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
	const styles = `<styleSheet><numFmts><numFmt numFmtId="165" formatCode="[Red]&quot;dy&quot;0.00"/><numFmt numFmtId="166" formatCode="[$-409]d\-mmm;@"/>` +
		`<numFmt numFmtId="167" formatCode="[h]:mm"/><numFmt numFmtId="168" formatCode="h:mm AM/PM"/><numFmt numFmtId="169" formatCode="0.0&quot; hours&quot;"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="20"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="169"/></cellXfs></styleSheet>`
	for _, c := range []struct{ cell, want string }{
		{`<c><v>4.9123456789E10</v></c>`, "49123456789"}, {`<c><v>1.5E300</v></c>`, "1.5E+300"}, {`<c><v> 7 </v></c>`, "7"}, {`<c><v>007</v></c>`, "7"},
		{`<c s="1"><v>45322</v></c>`, "2024-01-31"}, {`<c s="1"><v>45322.999999</v></c>`, "2024-02-01 00:00:00"}, {`<c s="1"><v>0.5</v></c>`, "0.5"}, {`<c s="1"><v>1e12</v></c>`, "1000000000000"},
		{`<c s="2"><v>45322</v></c>`, "45322"}, {`<c s="3"><v>45322</v></c>`, "2024-01-31"}, {`<c s="4"><v>0.25</v></c>`, "06:00:00"}, {`<c s="4"><v>0.395833333333333</v></c>`, "09:30:00"}, {`<c s="4"><v>-0.5</v></c>`, "-0.5"},
		{`<c s="5"><v>1.0625</v></c>`, "25:30:00"}, {`<c s="6"><v>0.99999999</v></c>`, "24:00:00"}, {`<c s="7"><v>0.5</v></c>`, "0.5"}, {`<c><v>1e21</v></c>`, "1E+21"}, {`<c s="99"><v>1</v></c>`, "1"},
		{`<c t="e"><v>#N/A</v></c>`, "#N/A"}, {`<c t="str"><f>A1&amp;"x"</f><v>yx</v></c>`, "yx"}, {`<c t="s"><v>0</v></c>`, "shared"},
		{`<c t="inlineStr"><is><t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh></is></c>`, "漢字"}, {`<x:c t="d"><x:v>2024-01-31T00:00:00</x:v></x:c>`, "2024-01-31"},
		{`<c t="d"><v>2024-01-31</v></c>`, "2024-01-31"}, {`<c t="d"><v>2024-01-31T13:45:01.500Z</v></c>`, "2024-01-31 13:45:01"}, {`<c t="d"><v>2024-01-31T00:30:00+02:00</v></c>`, "2024-01-31 00:30:00"}, {`<c t="d"><v>13:45:01</v></c>`, "13:45:01"},
	} {
		got, err := rowsOf(t, packed(t, `<row>`+c.cell+`</row>`, `<sst><si><r><t>sha</t></r><r><t>red</t></r></si></sst>`, styles), "")
		if err != nil || len(got) != 1 || len(got[0].Cells) != 1 || got[0].Cells[0].Text != c.want {
			t.Errorf("%s: %v, %v, want %q", c.cell, got, err, c.want)
		}
	}
}

// TestFormulas: a formula whose result was never stored is no empty cell, and
// a link to an address is known.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		cell string
		want Cell
	}{
		{`<c><f>A2&amp;"@b.example"</f></c>`, Cell{Kind: Formula, Text: `=A2&"@b.example"`}}, // exceljs
		{`<c><f>A2</f><v></v></c>`, Cell{Kind: Formula, Text: "=A2"}},                        // openpyxl
		{`<c><f t="shared" si="0"/><v/></c>`, Cell{Kind: Formula, Text: "="}},
		{`<c t="str"><f>A2</f><v></v></c>`, Cell{}},
		{`<c><f>A2</f><v>0</v></c>`, Cell{Kind: Number, Text: "0"}},
		{`<c t="str"><f>A2</f><v>a@b.example</v></c>`, Cell{Text: "a@b.example"}},
		{`<c><f>HYPERLINK("mailto:a@b.example","write ""us""")</f></c>`, Cell{Text: `write "us"`, Link: "mailto:a@b.example"}},
		{`<c t="str"><f>HYPERLINK("mailto:a@b.example","x")</f><v>y</v></c>`, Cell{Text: "y", Link: "mailto:a@b.example"}},
		{`<c t="str"><f>hyperlink( "mailto:a@b.example" )</f><v>mailto:a@b.example</v></c>`, Cell{Text: "mailto:a@b.example", Link: "mailto:a@b.example"}},
		{`<c><f>HYPERLINK("https://b.example","x")</f></c>`, Cell{Kind: Formula, Text: `=HYPERLINK("https://b.example","x")`}},
		{`<c><f>HYPERLINK("mailto:"&amp;A2,"x")</f></c>`, Cell{Kind: Formula, Text: `=HYPERLINK("mailto:"&A2,"x")`}},
	} {
		got, err := rowsOf(t, packed(t, `<row>`+c.cell+`<c><v>1</v></c></row>`, "<sst/>", "<styleSheet/>"), "")
		if err != nil || len(got) != 1 || got[0].Cells[0] != c.want {
			t.Errorf("%s: %v, %v, want %v", c.cell, got, err, c.want)
		}
	}
	stale := bookOf(t, map[string]string{
		"xl/workbook.xml": `<workbook><sheets><sheet name="a" r:id="worksheet"/></sheets><calcPr fullCalcOnLoad="1"/></workbook>`, // XlsxWriter
		"xl/s.xml":        `<worksheet><sheetData><row><c><f>A2</f><v>0</v></c><c><v>0</v></c></row></sheetData></worksheet>`,
	})
	if got, err := rowsOf(t, stale, ""); err != nil || got[0].Cells[0] != (Cell{Kind: Formula, Text: "=A2"}) || got[0].Cells[1] != zero {
		t.Errorf("%v, %v", got, err)
	}
	links := bookOf(t, map[string]string{
		"xl/s.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>E-mail</t></is></c><c r="B1" t="inlineStr"><is><t>web</t></is></c><c r="C1"/><c r="D1"><v>1</v></c></row></sheetData>` +
			`<hyperlinks><hyperlink ref="A1:A1" r:id="m"/><hyperlink ref="B1" r:id="w"/><hyperlink ref="c1" r:id="m"/><hyperlink ref="D1" r:id="m"/></hyperlinks></worksheet>`,
		"xl/_rels/s.xml.rels": `<Relationships><Relationship Id="m" Type="http://x/hyperlink" Target="mailto:a@b.example?subject=x" TargetMode="External"/>` +
			`<Relationship Id="w" Type="http://x/hyperlink" Target="https://b.example" TargetMode="External"/></Relationships>`,
	})
	const to = "mailto:a@b.example?subject=x"
	if got, err := rowsOf(t, links, ""); err != nil || !cmp.Equal(got[0].Cells, []Cell{{Text: "E-mail", Link: to}, {Text: "web"}, {Link: to}, {Kind: Number, Text: "1"}}) {
		t.Errorf("%v, %v", got, err)
	}
}

// packed is a workbook of parts.
func packed(t testing.TB, rows, shared, styles string) []byte {
	t.Helper()
	return bookOf(t, map[string]string{
		"xl/s.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>", "xl/t.xml": shared, "xl/f.xml": styles,
	})
}

// bookOf is a workbook whose usual parts some replace.
func bookOf(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	relation := func(kind, target string) string {
		return fmt.Sprintf(`<Relationship Id=%q Type="http://x/%s" Target=%q/>`, kind, kind, target)
	}
	all := map[string]string{
		"_rels/.rels":                "<Relationships>" + relation("officeDocument", "/xl/workbook.xml") + "</Relationships>",
		"xl/workbook.xml":            `<workbook><sheets><sheet name="a" r:id="worksheet"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": "<Relationships>" + relation("worksheet", "s.xml") + relation("sharedStrings", "t.xml") + relation("styles", "f.xml") + "</Relationships>",
		"xl/t.xml":                   "<sst/>", "xl/f.xml": "<styleSheet/>",
	}
	maps.Copy(all, parts)
	for name, text := range all {
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
