package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestHostile: workbooks that would fill the memory, or that are damaged.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", MaxRow)
	for _, c := range []struct{ name, rows, shared, want string }{
		{"a long text", `<row><c t="inlineStr"><is><t>` + long + long, "<sst/>", "more than 1048576 octets"},
		{"a text of many parts", `<row><c t="inlineStr"><is>` + strings.Repeat("<t>"+long[:1<<16]+"</t>", 17), "<sst/>", "more than 1048576 octets"},
		{"a long value", `<row><c><v>` + strings.Repeat(long[:1<<16]+"<f/>", 17), "<sst/>", "more than 1048576 octets"},
		{"a long attribute", `<row r="` + long + long + `">`, "<sst/>", "more than 1048576 octets"},
		{"a long comment", `<!--` + long + long + `-->`, "<sst/>", "more than 1048576 octets"},
		{"a long row of shared texts", `<row>` + strings.Repeat(`<c t="s"><v>0</v></c>`, 20), `<sst><si><t>` + long[:1<<16] + `</t></si></sst>`, "row 1: it has a text of more than"},
		{"a long shared text", `<row/>`, `<sst><si>` + strings.Repeat("<t>"+long[:1<<16]+"</t>", 17), "more than 1048576 octets"},
		{"far right", `<row><c r="XFE1"><v>1</v></c></row>`, "<sst/>", "row 1 has more than 16384 columns"},
		{"farther right", `<row><c r="` + strings.Repeat("Z", 100) + `1"><v>1</v></c></row>`, "<sst/>", "row 1 has more than 16384 columns"},
		{"far down", `<row r="1048577"/>`, "<sst/>", "there are more than 1048576 rows"},
		{"no such text", `<row><c t="s"><v>1</v></c></row>`, "<sst><si/></sst>", "a cell refers to the shared text 1, of 1"},
		{"a negative text", `<row><c t="s"><v>-1</v></c></row>`, "<sst><si/></sst>", "a cell refers to the shared text -1, of 1"},
		{"an entity", `<!DOCTYPE x [<!ENTITY a "b">]><row><c t="inlineStr"><is><t>&a;</t></is></c></row>`, "<sst/>", "damaged"},
		{"cut off", `<row><c><v>1`, "<sst/>", "unexpected EOF"},
	} {
		_, err := rowsOf(t, packed(t, c.rows, c.shared, "<styleSheet/>"), "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// endless are octets that a part never ends to have.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestBomb: a part that unpacks to gigabytes is given up.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 70 MB")
	}
	whole := packed(t, "<row/>", "<sst/>", "<styleSheet/>")
	in, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	check(t, err)
	for _, bomb := range []string{"xl/s.xml", "xl/f.xml"} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(out, flate.BestCompression) // the default packs less since Go 1.27
		})
		for _, f := range in.File {
			if f.Name != bomb {
				check(t, w.Copy(f))
				continue
			}
			part, err := w.Create(f.Name)
			check(t, err)
			_, err = io.Copy(part, io.LimitReader(endless("<y/>"+strings.Repeat(" ", 8<<10)), 66<<20))
			check(t, err)
		}
		check(t, w.Close())
		if _, err := rowsOf(t, out.Bytes(), ""); !errors.Is(err, ErrExpands) {
			t.Errorf("%s: %v", bomb, err)
		}
	}
}

// TestDamaged: no prefix of a workbook is one, and none panics.
func TestDamaged(t *testing.T) {
	octets, err := os.ReadFile("testdata/excelize.xlsx")
	check(t, err)
	for i := 0; i < len(octets); i += 97 {
		if _, err := rowsOf(t, octets[:i], ""); !errors.Is(err, ErrNoWorkbook) {
			t.Fatalf("%d octets: %v", i, err)
		}
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	_, err = w.Create("list.csv")
	check(t, err)
	check(t, w.Close())
	if _, err := rowsOf(t, out.Bytes(), ""); !errors.Is(err, ErrNoWorkbook) {
		t.Error(err)
	}
}

func FuzzRows(f *testing.F) {
	f.Add(`<row r="2"><c r="B2" t="s"><v>0</v></c><c><v>1e5</v></c></row>`, `<sst><si><t>a</t></si></sst>`, `<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`)
	f.Fuzz(func(t *testing.T, rows, shared, styles string) {
		got, _ := rowsOf(t, packed(t, rows, shared, styles), "")
		last := 0
		for _, row := range got {
			if row.Number <= last || len(row.Cells) > MaxColumns {
				t.Errorf("row %d of %d cells after row %d", row.Number, len(row.Cells), last)
			}
			last = row.Number
		}
	})
}

// FuzzRoundTrip: each row that is written is read, once and in its place, with
// the text that it has.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a@acme.example", "0049", byte(2), uint16(3))
	f.Add("<row r=\"\x01\">", "_x000D_\r\n", byte(1), uint16(47))
	f.Fuzz(func(t *testing.T, first, second string, most byte, count uint16) {
		perSheet := int(most)%32 + 2
		head := texts2cells("email", "note", "number")
		var rows [][]Cell
		for i := range int(count) % 48 {
			row := []Cell{{Text: first}, {Text: second}, {Kind: Number, Text: strconv.Itoa(i)}}
			rows = append(rows, row[i%3:])
		}
		book := written(t, perSheet, head, rows...)
		next := 0
		for sheet := 1; next < len(rows); sheet++ {
			got, err := rowsOf(t, book, fmt.Sprintf("Sheet%d", sheet))
			if err != nil || len(got) < 2 || len(got) > perSheet || cmp.Diff(head, got[0].Cells) != "" {
				t.Fatalf("sheet %d: %v, %v", sheet, got, err)
			}
			for i, row := range got[1:] {
				if row.Number != i+2 || cmp.Diff(held(rows[next]), row.Cells) != "" {
					t.Fatalf("sheet %d: %v, want row %d of %v", sheet, row, i+2, held(rows[next]))
				}
				next++
			}
		}
	})
}

// held are cells as a sheet holds them.
func held(cells []Cell) []Cell {
	all := slices.Clone(cells)
	for i, cell := range all {
		if cell.Kind != Text {
			continue
		}
		var text []rune
		units := 0
		for _, r := range cell.Text {
			if units += utf16.RuneLen(r); units > maxText {
				break
			}
			if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xFFFE || r == 0xFFFF {
				r = utf8.RuneError
			}
			text = append(text, r)
		}
		all[i].Text = string(text)
	}
	return all
}
