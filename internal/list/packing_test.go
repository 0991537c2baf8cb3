package list

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

const packedList = "id,email\n1,a@acme.example\n2,b@acme.example\n"

// packTo compresses a text.
func packTo(t *testing.T, packing Packing, text io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if packing == Zstd {
		var err error
		w, err = zstd.NewWriter(&out)
		check(t, err)
	}
	_, err := io.Copy(w, text)
	check(t, err)
	check(t, w.Close())
	return out.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPacked: a compressed list is read, whatever its name, also one of several
// parts.
func TestPacked(t *testing.T) {
	for _, packing := range []Packing{Gzip, Zstd} {
		half := len(packedList) / 2
		octets := append(packTo(t, packing, strings.NewReader(packedList[:half])), packTo(t, packing, strings.NewReader(packedList[half:]))...)
		r := open(t, string(octets), Options{})
		if got, _ := readAll(t, r); !cmp.Equal(got, []string{"a@acme.example", "b@acme.example"}) || !r.IsPacked() {
			t.Errorf("%s: %q", packing, got)
		}
		check(t, r.Close())

		twice := packTo(t, Gzip, bytes.NewReader(octets))
		var wrong *FormatError
		if _, err := NewReader(bytes.NewReader(twice), Options{}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "compressed twice") {
			t.Errorf("%s: %v", packing, err)
		}
	}
}

// TestPackedDamaged: what is cut off or damaged is an error, after the rows
// before it.
func TestPackedDamaged(t *testing.T) {
	many := "email\n" + strings.Repeat("a@acme.example\n", 1<<16)
	for _, packing := range []Packing{Gzip, Zstd} {
		octets := packTo(t, packing, strings.NewReader(many))
		r := open(t, string(octets[:len(octets)-1]), Options{})
		rows := 0
		var err error
		for ; err == nil; rows++ {
			_, err = r.Next()
		}
		if rows < 1000 || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), string(packing)) {
			t.Errorf("%s: %v after %d rows", packing, err, rows)
		}
		for i := range 12 {
			if _, err := NewReader(bytes.NewReader(octets[:i]), Options{}); i > 3 && err == nil {
				t.Errorf("%s: %d octets are a list", packing, i)
			}
		}
	}
}

// endlessText is a text without end.
type endlessText string

func (e endlessText) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestPackedBomb: a small file that unpacks to gigabytes of empty lines or of
// rows is given up.
func TestPackedBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 130 MB")
	}
	for packing, text := range map[Packing]string{Gzip: "\n", Zstd: "1,a@acme.example" + strings.Repeat(" ", 8<<10) + "\n"} {
		list := io.MultiReader(strings.NewReader("id,email\n1,a@acme.example\n"), io.LimitReader(endlessText(text), 70<<20))
		r := open(t, string(packTo(t, packing, list)), Options{})
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, xlsx.ErrExpands) {
			t.Errorf("%s of %.10q: %v", packing, text, err)
		}
	}
}

// TestPack: what is packed is read again, and after Flush without an end.
func TestPack(t *testing.T) {
	for _, packing := range []Packing{Plain, Gzip, Zstd} {
		list := open(t, packedList, Options{})
		w, err := NewWriter(list, Output{Format: CSV})
		check(t, err)
		var out bytes.Buffer
		p, err := w.Pack(&out, packing)
		check(t, err)
		_, rows := readAll(t, list)
		for _, row := range rows {
			_, err := p.Write(w.Append(nil, row, verified))
			check(t, err)
		}
		check(t, p.Flush())
		again, err := NewReader(bytes.NewReader(out.Bytes()), Options{})
		check(t, err)
		for _, want := range []string{"a@acme.example", "b@acme.example"} {
			if row, err := again.Next(); err != nil || row.Addresses[0] != want || again.EarlierResults(row.Raw)[0] == nil {
				t.Errorf("%s: %v, %v", packing, row, err)
			}
		}
		check(t, p.Close())
		if got, _ := readAll(t, open(t, out.String(), Options{})); len(got) != 2 {
			t.Errorf("%s: %q", packing, got)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]struct {
		format  Format
		packing Packing
	}{
		"a.csv": {CSV, Plain}, "a.CSV.GZ": {CSV, Gzip}, "a.jsonl.zst": {JSONLines, Zstd}, "a.xlsx": {XLSX, Plain}, "a.gz": {"", Gzip}, "gz": {"", Plain},
	} {
		if packing, _ := PackingOf(name); packing != want.packing || FormatOf(name) != want.format {
			t.Errorf("%s: %s, %s", name, FormatOf(name), packing)
		}
	}
	if DelimiterOf("a.tsv.gz") != '\t' {
		t.Error("a.tsv.gz has no tabs")
	}
}

// sheetOf is a list as a spreadsheet, with [verified] in every row.
func sheetOf(t *testing.T, list string, o Options) []byte {
	t.Helper()
	r := open(t, list, o)
	w, err := NewWriter(r, Output{Format: XLSX})
	check(t, err)
	var out bytes.Buffer
	p, err := w.Pack(&out, Plain)
	check(t, err)
	_, rows := readAll(t, r)
	for _, row := range rows {
		_, err := p.Write(w.Append(nil, row, verified))
		check(t, err)
	}
	check(t, p.Close())
	return out.Bytes()
}

// TestSheet: a list becomes a sheet and a list again. Texts stay texts, and
// nothing in a sheet is a formula.
func TestSheet(t *testing.T) {
	const sheetTail = "unknown,,0,0,0,0,0,=1+1,,review,risky,x@acme.example"
	for _, c := range []struct{ name, list, want string }{ // a list without a header has its addresses in column 2
		{"CSV", "id,email\n007,a@acme.example\n\"x,\ny\",b@acme.example\n", "id,email,@\n007,a@acme.example,#\n\"x,\ny\",b@acme.example,#\n"},
		{"semicolons and a mark", "\ufeffid;email\r\n1,5;a@acme.example\r\n", "id,email,@\n\"1,5\",a@acme.example,#\n"},
		{"a formula", "id,email\n=1+1,a@acme.example\n", "id,email,@\n'=1+1,a@acme.example,#\n"},
		{"Windows-1252", "email,na\xefme\na@acme.example,\x80\n", "email,naïme,@\na@acme.example,€,#\n"},
		{"no header", "1,a@acme.example\n2,b@acme.example\n", "1,a@acme.example,#\n2,b@acme.example,#\n"},
		{"short and long rows", "id,email,x\n1,a@acme.example\n2,b@acme.example,x,y\n", "id,email,x,@\n1,a@acme.example,,#\n2,b@acme.example,x,#,y\n"},
		{"lines", "a@acme.example\nb@acme.example\n", "email,@\na@acme.example,#\nb@acme.example,#\n"},
		{"JSON", `{"email":"a@acme.example","n":1}` + "\n", "email,n,@,rcpt_other\na@acme.example,1,#,\n"},
	} {
		var o Options
		if c.name == "no header" {
			o.Columns = []string{"2"}
		}
		r := open(t, string(sheetOf(t, c.list, o)), o)
		csv := r.shape.(*csvShape)
		csv.earlier = nil
		out := csv.csvHead(nil, Output{Format: CSV})
		_, rows := readAll(t, r)
		for _, row := range rows {
			out = r.shape.appendCSV(out, row, nil, Output{Format: CSV})
		}
		got := strings.NewReplacer(headerTail, "@", strings.Replace(sheetTail, "=", "'=", 1), "#").Replace(string(out))
		if diff := cmp.Diff(byteOrderMark+c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestSheetToSheet: numbers and dates of a sheet stay such, the columns of an
// earlier run are replaced, and errors name the row of the sheet.
func TestSheetToSheet(t *testing.T) {
	octets, err := os.ReadFile("xlsx/testdata/openpyxl.xlsx")
	check(t, err)
	once := sheetOf(t, string(octets), Options{})
	twice := sheetOf(t, string(once), Options{})
	var sheets [2][]xlsx.Row
	for i, octets := range [][]byte{once, twice} {
		book, err := xlsx.Read(bytes.NewReader(octets), "")
		check(t, err)
		rows, err := book.Rows("")
		check(t, err)
		for {
			row, err := rows.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			check(t, err)
			sheets[i] = append(sheets[i], row)
		}
	}
	if diff := cmp.Diff(sheets[0], sheets[1]); diff != "" {
		t.Error(diff)
	}
	jane := sheets[0][1].Cells
	for i, want := range []xlsx.Cell{
		{Text: `Doe, "Jane"`}, {Text: "alice@acme.example"}, {Text: "0049 30"}, {Kind: xlsx.Date, Text: "2024-01-31"}, {Kind: xlsx.Date, Text: "2024-01-31 13:45:01"},
		{Kind: xlsx.Number, Text: "12.5"}, {Kind: xlsx.Bool, Text: "TRUE"}, {Text: "=F2*2"}, {Text: "line 1\nline 2"}, {Kind: xlsx.Number, Text: "49123456789012"}, {Kind: xlsx.Number, Text: "0"},
		{Text: "unknown"}, {}, {Kind: xlsx.Number, Text: "0"},
	} {
		if jane[i] != want {
			t.Errorf("cell %d is %v, want %v", i+1, jane[i], want)
		}
	}

	r := open(t, string(octets), Options{Format: CSV})
	var lines []int
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(t, err)
		lines = append(lines, row.Line)
	}
	if all := r.Sheets(); !cmp.Equal(lines, []int{2, 4}) || r.Format() != XLSX || len(all) != 2 || all[0].Name != "Customers" || !all[0].Read || all[1].Name != "Others" || all[1].Read {
		t.Errorf("rows %v, %s, sheets %+v", lines, r.Format(), all)
	}
	check(t, r.Close())

	_, err = NewReader(bytes.NewReader(octets), Options{Sheet: "x"})
	var wrong *FormatError
	if !errors.As(err, &wrong) || err.Error() != `it has no sheet "x"; the sheets are 1 "Customers", 2 "Others"` {
		t.Error(err)
	}
}
