package sheets

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// byLibrary reads a workbook with excelize, row by row, with each error that
// there is to ask for.
func byLibrary(t testing.TB, name string, raw bool) (all [][]string, err error) {
	t.Helper()
	book, err := excelize.OpenFile(name, excelize.Options{TmpDir: t.TempDir(), RawCellValue: raw})
	if err != nil {
		return nil, err
	}
	defer func() { check(t, book.Close()) }()
	rows, err := book.Rows(book.GetSheetName(0))
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells, err := rows.Columns()
		if err != nil {
			return all, err
		}
		all = append(all, cells)
	}
	if err := rows.Error(); err != nil {
		return all, err
	}
	return all, rows.Close()
}

// changedPart is a workbook of three rows of which a part is another.
func changedPart(t *testing.T, part string, change func(string) string) string {
	t.Helper()
	name := write(t, [][]xlsx.Cell{{{Text: "email"}}, {{Text: "a@acme.example"}}, {{Text: "b@acme.example"}}, {{Text: "c@acme.example"}}})
	in, err := zip.OpenReader(name)
	check(t, err)
	defer in.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		opened, err := f.Open()
		check(t, err)
		octets, err := io.ReadAll(opened)
		check(t, err)
		text := string(octets)
		if f.Name == part {
			text = change(text)
		}
		to, err := w.Create(f.Name)
		check(t, err)
		_, err = io.WriteString(to, text)
		check(t, err)
	}
	check(t, w.Close())
	changed := filepath.Join(t.TempDir(), "changed.xlsx")
	check(t, os.WriteFile(changed, out.Bytes(), 0o600))
	return changed
}

// TestLibraryLosesRows: excelize ends a sheet where its XML is damaged, as if
// the rest were not there, and takes a text that cannot be found for an empty
// cell (github.com/nao1215/filesql/issues/1115). It makes one row of two that
// have the same number. A list would be verified in
// part, and nobody would know. If this test fails, excelize reports it: then
// think about docs/decisions/0012-own-spreadsheets.md again.
func TestLibraryLosesRows(t *testing.T) {
	const sheet = "xl/worksheets/sheet1.xml"
	replaced := func(old, by string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("there is no %s", old)
			}
			return strings.Replace(text, old, by, 1)
		}
	}
	for _, c := range []struct {
		name          string
		change        func(string) string
		library, ours string
	}{
		{"cut off in the third row", func(text string) string { return text[:strings.Index(text, "b@acme")] },
			"email/a@acme.example/", "changed: row 3: unexpected EOF"},
		{"a name that is no entity", replaced("b@acme.example", "b@acme&nbsp;example"),
			"email/a@acme.example/", `changed: row 3: a part is damaged: XML syntax error on line 2: invalid character entity &nbsp;`},
		{"a character that XML cannot hold", replaced("b@acme", "b\x02@acme"),
			"email/a@acme.example/", "changed: row 3: a part is damaged: XML syntax error on line 2: illegal character code U+0002"},
		{"a shared text that is missing", replaced(`t="inlineStr"><is><t xml:space="preserve">b@acme.example</t></is>`, `t="s"><v>7</v>`),
			"email/a@acme.example//c@acme.example", "changed: row 3: a cell refers to the shared text 7, of 0"},
		{"a row with the number of another", replaced(`<row r="3"><c r="A3"`, `<row r="2"><c r="A2"`),
			"email/a@acme.example,b@acme.example//c@acme.example", "<nil>"},
	} {
		name := changedPart(t, sheet, c.change)
		got, err := byLibrary(t, name, true)
		check(t, err)
		var lines []string
		for _, row := range got {
			lines = append(lines, strings.Join(row, ","))
		}
		if joined := strings.Join(lines, "/"); joined != c.library {
			t.Errorf("%s: excelize reads %q, want %q", c.name, joined, c.library)
		}
		if _, err := read(t, name); fmt.Sprint(err) != c.ours {
			t.Errorf("%s: %v, want %s", c.name, err, c.ours)
		}
	}
}

// TestLibraryTellsNoKinds: read row by row, excelize has no difference between
// the text 0049 and a number that is shown so, or the text TRUE and a truth
// value; dates are as a format shows them, or numbers of days
// (github.com/qax-os/excelize/pull/1291). The results of a spreadsheet would
// turn one into the other.
func TestLibraryTellsNoKinds(t *testing.T) {
	name := write(t, [][]xlsx.Cell{{
		{Text: "49"}, {Kind: xlsx.Number, Text: "49"}, {Text: "TRUE"}, {Kind: xlsx.Bool, Text: "TRUE"},
		{Kind: xlsx.Date, Text: "2024-02-29"}, {Kind: xlsx.Number, Text: "12345678901234567"},
	}})
	for raw, want := range map[bool]string{
		true:  "49,49,TRUE,1,45351,12345678901234567",
		false: "49,49,TRUE,TRUE,02-29-24,1.23456789E+16",
	} {
		rows, err := byLibrary(t, name, raw)
		if err != nil || len(rows) != 1 || strings.Join(rows[0], ",") != want {
			t.Errorf("%v, %v, want %s", rows, err, want)
		}
	}
}
