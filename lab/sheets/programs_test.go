package sheets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// list is what is written. Its columns go beyond Z.
func list() [][]xlsx.Cell {
	wide := make([]xlsx.Cell, 30)
	wide[29] = xlsx.Cell{Text: "column AD"}
	return [][]xlsx.Cell{
		{{Text: "email"}, {Text: "what a customer is called"}, {Text: "since"}, {Kind: xlsx.Number, Text: "4"}},
		{{Text: "a@acme.example"}, {Text: `<b> & "quotes" 'n' 漢字 😀`}, {Kind: xlsx.Date, Text: "2024-02-29"}, {Kind: xlsx.Bool, Text: "TRUE"}},
		{{Text: "0049"}, {Text: "=1+1"}, {Kind: xlsx.Date, Text: "2024-02-29 23:59:59"}, {Kind: xlsx.Bool, Text: "FALSE"}, {Kind: xlsx.Number, Text: "-12.5"}},
		{{}, {Text: "two\nlines"}, {Text: " blanks "}, {Text: "CR\r\nLF"}, {Kind: xlsx.Number, Text: "49123456789012"}, {Text: "00491234567890123456789"}},
		{},
		{{Text: "_x0041_"}, {}, {Text: "2024-02-29"}, {Text: "TRUE"}, {Text: "1e5"}},
		wide,
	}
}

// write writes a workbook, of which the first row is the head.
func write(t testing.TB, rows [][]xlsx.Cell) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list.xlsx")
	file, err := os.Create(name)
	check(t, err)
	w, err := xlsx.NewWriter(file, xlsx.AppendRow(nil, rows[0]))
	check(t, err)
	for _, row := range rows[1:] {
		_, err := w.Write(xlsx.AppendRow(nil, row))
		check(t, err)
	}
	check(t, w.Close())
	check(t, file.Close())
	return name
}

// seen is the first sheet of a workbook as a program sees it.
type seen struct {
	Rows        [][]string
	Filter      string
	Frozen      int // rows
	Bold, Plain bool
	Width       float64
}

// shown are cells as the programs of testdata print them.
func shown(rows [][]xlsx.Cell) [][]string {
	var all [][]string
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			text := ""
			if cell.Text != "" {
				text = [...]string{"text", "number", "date", "bool", "time"}[cell.Kind] + " " + cell.Text
			}
			cells = append(cells, text)
		}
		all = append(all, cells)
	}
	return all
}

// trimmed are rows without empty cells at their end.
func trimmed(rows [][]string) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		if len(row) > 0 {
			all[i] = row
		}
	}
	return all
}

// output runs a program. Its error has what it wrote to standard error.
func output(t *testing.T, folder, name string, arguments ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.WaitDelay = folder, time.Second
	out, err := command.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		t.Fatalf("%s: %v: %s", name, err, exit.Stderr)
	}
	check(t, err)
	return out
}

func opened(t *testing.T, out []byte) seen {
	t.Helper()
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.Rows = trimmed(s.Rows)
	return s
}

// look is how a list looks: the head is bold and a filter, and stays in sight.
func look(rows [][]string) seen {
	return seen{Rows: rows, Filter: "A1:AD7", Frozen: 1, Bold: true, Plain: true, Width: 17}
}

// TestNode: what is written is opened by the readers of Node.js.
func TestNode(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("SKIPPED: npm is not installed, so that exceljs, read-excel-file and SheetJS did not see a workbook")
	}
	folder := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "testdata/open.mjs"} {
		octets, err := os.ReadFile(name)
		check(t, err)
		check(t, os.WriteFile(filepath.Join(folder, filepath.Base(name)), octets, 0o600))
	}
	fetch := exec.CommandContext(t.Context(), "npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	fetch.Dir, fetch.WaitDelay = folder, time.Second
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: exceljs, read-excel-file and SheetJS cannot be fetched: %v: %s", err, out)
	}
	file := write(t, list())
	for reader, want := range map[string]seen{
		"exceljs":         look(escaped(shown(list()))),
		"read-excel-file": {Rows: unpadded(shown(list()))},
		"sheetjs":         {Rows: shown(list())},
	} {
		want.Rows = trimmed(want.Rows)
		if diff := cmp.Diff(want, opened(t, output(t, folder, "node", "open.mjs", reader, file))); diff != "" {
			t.Errorf("%s: %s", reader, diff)
		}
	}
}

// escaped are rows for programs that do not know ST_Xstring (ECMA-376 part 1
// §22.9.2.19).
func escaped(rows [][]string) [][]string {
	return changed(rows, func(cell string) string { return strings.ReplaceAll(cell, "_x0041_", "_x005F_x0041_") })
}

// unpadded are rows for programs that cut off the blanks round a text.
func unpadded(rows [][]string) [][]string {
	return changed(rows, func(cell string) string { return strings.TrimSpace(strings.Replace(cell, "text  ", "text ", 1)) })
}

func changed(rows [][]string, change func(string) string) [][]string {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = change(cell)
		}
	}
	return rows
}

// TestOpenpyxl: what is written is opened by openpyxl.
func TestOpenpyxl(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} { // that of Debian has Debian's packages
		if exec.CommandContext(t.Context(), name, "-c", "import openpyxl").Run() == nil {
			python = name
		}
	}
	if python == "" {
		t.Skip("SKIPPED: openpyxl is not installed (Debian: python3-openpyxl), so that it did not see a workbook")
	}
	got := opened(t, output(t, "", python, "testdata/open.py", write(t, list())))
	if diff := cmp.Diff(look(trimmed(escaped(shown(list())))), got); diff != "" {
		t.Error(diff)
	}
}

// TestLibreOffice: what is written is opened by LibreOffice, and what that
// saves is read.
func TestLibreOffice(t *testing.T) {
	if _, err := exec.LookPath("soffice"); err != nil {
		t.Skip("SKIPPED: LibreOffice is not installed (Debian: libreoffice-calc-nogui), so that it did not see a workbook")
	}
	folder := t.TempDir()
	output(t, folder, "soffice", "-env:UserInstallation=file://"+filepath.ToSlash(folder)+"/profile", "--headless", "--convert-to", "xlsx",
		"--outdir", folder, write(t, list()))
	rows, err := read(t, filepath.Join(folder, "list.xlsx"))
	check(t, err)
	oneLineEnd := func(cell string) string { return strings.ReplaceAll(cell, "\r\n", "\n") }
	if diff := cmp.Diff(trimmed(changed(shown(list()), oneLineEnd)), trimmed(shown(rows))); diff != "" {
		t.Error(diff)
	}
}

// read reads the first sheet of a workbook.
func read(t testing.TB, name string) (all [][]xlsx.Cell, err error) {
	t.Helper()
	file, err := os.Open(name)
	check(t, err)
	defer file.Close()
	book, err := xlsx.Read(file, t.TempDir())
	if err != nil {
		return nil, err
	}
	defer book.Close()
	rows, err := book.Rows("")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", strings.TrimSuffix(filepath.Base(name), ".xlsx"), err)
		}
		for len(all) < row.Number-1 {
			all = append(all, nil)
		}
		all = append(all, row.Cells)
	}
}
