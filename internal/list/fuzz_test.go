package list

import (
	"encoding/csv"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// addedCells are what [verified] comes to.
var addedCells = strings.Split(strings.TrimSuffix(cellsTail, "#"), ",")

// FuzzCSV: a row that is written is one row again, with the user's cells as
// they were and ours in their columns; and what encoding/csv accepts is read
// the same way by both.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"id,email\n1,a@acme.example\n", "a;b@c\r\n\"x\"\"y\";z\r\n", "sep=|\na|b@c\n", "\"5\" pipe,a@b\n\"6\" pipe,c@d\n", "\"a\" \"b\",c@d", "\"a\n\nb\",c@d\n,",
		"\ufeffa,b@c\n\"\xff\",\xfc@d\n", "a@b\rc@d\r", "\"a\"x,\"b\nc\",d@e\n", "a,b@c\n1,2,\"3\" \n", "\"\"\"\",a@b\n\" \",\n", "=1,a@b\n\"\t=\"\"x\",+1 2\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		r, err := NewReader(strings.NewReader(list), Options{Format: CSV, Columns: []string{"1"}})
		if err != nil {
			return
		}
		w, err := NewWriter(r, Output{Format: CSV, Raw: true})
		if err != nil {
			t.Fatal(err)
		}
		for {
			row, err := r.Next()
			if err != nil {
				return
			}
			checkRow(t, r.shape.(*csvShape), row.Raw, string(w.Append(nil, row.Raw, verified)))
			safe := r.shape.(*csvShape).appendCSV(nil, row.Raw, nil, Output{Delimiter: w.Delimiter})
			checkFormulas(t, r.shape.(*csvShape), row.Raw, string(safe))
		}
	})
}

func checkRow(t *testing.T, s *csvShape, raw, out string) {
	t.Helper()
	body, end := cutLineEnd(raw)
	before := s.cellsOf(body)
	outBody, outEnd := cutLineEnd(out)
	if end != "" && outEnd != end || outEnd == "" {
		t.Errorf("line end %q of %q", outEnd, out)
	}
	if diff := cmp.Diff(withAdded(before, s.width), s.cellsOf(outBody)); diff != "" {
		t.Errorf("%q became %q:\n%s", raw, out, diff)
	}
	if rows := firstRows([]byte(out), true, s.delimiter, s.text); len(rows) != 1 {
		t.Errorf("%q became %d rows: %q", raw, len(rows), out)
	}
	fields, damaged := split(body, s.delimiter)
	if at := fields[min(len(fields), s.width)-1].to; !damaged && (!strings.HasPrefix(out, body[:at]) || !strings.HasSuffix(outBody, body[at:])) {
		t.Errorf("the octets of %q are not in %q", raw, out)
	}
	if accepted, ok := standard(body+"\n", s.delimiter); ok { // carriage returns alone end no row for encoding/csv
		checkStandard(t, s, accepted, before, outBody+"\n")
	}
}

// checkFormulas: no cell is a formula that does anything, and the others are as
// they were.
func checkFormulas(t *testing.T, s *csvShape, raw, out string) {
	t.Helper()
	body, _ := cutLineEnd(raw)
	outBody, _ := cutLineEnd(out)
	before, after := s.cellsOf(body), s.cellsOf(outBody)
	for i, cell := range before {
		want := cell
		if fields, _ := split(body, s.delimiter); isDangerous(unquote(body[fields[i].from:fields[i].to])) {
			want = "'" + cell
		}
		if i >= len(after) || after[i] != want {
			t.Errorf("%q became %q", raw, out)
		}
	}
}

// checkStandard compares with encoding/csv.
func checkStandard(t *testing.T, s *csvShape, accepted, before []string, out string) {
	t.Helper()
	for i, cell := range before {
		before[i] = strings.ReplaceAll(cell, "\r\n", "\n") // encoding/csv does that
	}
	for i, cell := range accepted {
		accepted[i] = s.text.toUTF8(cell)
	}
	if diff := cmp.Diff(accepted, before); diff != "" {
		t.Errorf("encoding/csv reads otherwise:\n%s", diff)
	}
	if _, ok := standard(out, s.delimiter); !ok {
		t.Errorf("encoding/csv does not accept %q", out)
	}
}

// withAdded are the cells that a row of output has.
func withAdded(before []string, width int) []string {
	after := append([]string{}, before[:min(len(before), width)]...)
	for len(after) < width {
		after = append(after, "")
	}
	after = append(after, addedCells...)
	return append(after, before[min(len(before), width):]...)
}

// standard is how encoding/csv reads a row, if it does.
func standard(row string, delimiter byte) (cells []string, ok bool) {
	reader := csv.NewReader(strings.NewReader(row))
	reader.Comma = rune(delimiter)
	rows, err := reader.ReadAll()
	if err != nil || len(rows) != 1 {
		return nil, false
	}
	return rows[0], true
}

// FuzzEncoded: in every encoding and with every row end, the cells that are
// written are those that are read, and the octets of rows are in the output.
func FuzzEncoded(f *testing.F) {
	for i, c := range charsets {
		f.Add("Jörg", "山田", "\"x\r\ny\"", i, "\n")
		f.Add(inCharsets[c.Name], "|@~^\\", "ü", i, "\r")
		f.Add("", "a;b", inCharsets[c.Name], i, "\r\r\n")
	}
	f.Fuzz(func(t *testing.T, first, second, third string, number int, end string) {
		want := []string{first, second, third}
		_, isEnd := cutLineEnd("x" + end)
		if number < 0 || number >= len(charsets) || isEnd != end || end != "\r" && !strings.HasSuffix(end, "\n") ||
			strings.Contains(strings.Join(want, ""), "\x00") || !utf8.ValidString(strings.Join(want, "")) {
			return
		}
		c := charsets[number]
		row := strings.TrimSuffix(string(appendCells(nil, append(want, "a@acme.example"), ',')), "\n")
		encoded, err := c.encoding.NewEncoder().String(row)
		if decoded, wrong := c.encoding.NewDecoder().String(encoded); err != nil || wrong != nil || decoded != row {
			return // it cannot be written in this encoding
		}
		head, _ := c.encoding.NewEncoder().String("1,2,3,email" + end)
		lineEnd, _ := c.encoding.NewEncoder().String(end)
		r, err := NewReader(strings.NewReader(head+encoded+lineEnd), Options{Format: CSV, Delimiter: ',', Encoding: string(c.Name), HeaderRow: 1, Columns: []string{"4"}})
		if err != nil {
			return // an escape, an object
		}
		got, err := r.Next()
		if err != nil {
			t.Fatalf("%s %q: %v", c.Name, row, err)
		}
		if diff := cmp.Diff(append(want, "a@acme.example"), r.Cells(got.Raw)); diff != "" {
			t.Errorf("%s %q:\n%s", c.Name, row, diff)
		}
		w, err := NewWriter(r, Output{Format: CSV, Raw: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.description.isDecoded() {
			encoded, lineEnd = row, end
		}
		if out := string(w.Append(nil, got.Raw, verified)); !strings.HasPrefix(out, encoded+",") || !strings.HasSuffix(out, lineEnd) {
			t.Errorf("%s %q became %q", c.Name, row, out)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s %q: another row: %v", c.Name, row, err)
		}
	})
}

// FuzzJSON: a line that is written is one line again, a JSON object with the
// fields that were there and the record.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"email":"a@b","n":1}`, `{ "email" : "a" , "rcpt":{} } `, `{"email":"a"}x`, "{\"email\":\"\xff\"}", `{"a":{"b":[1,"}"]}}`, "{}", `"x"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") {
			return
		}
		line = utf8OrWindows.toUTF8(line)
		before, broken := parseObject(line)
		out := string((&jsonShape{fields: []string{addressField}}).appendJSON(nil, line, []byte(`{"new":1}`)))
		after, err := parseObject(out)
		if err != nil || strings.Count(out, "\n") != 1 {
			t.Fatalf("%q became %q: %v", line, out, err)
		}
		if broken != nil || len(before) == 0 {
			before = after[:1]
		}
		if diff := cmp.Diff(before, after[:len(after)-1], cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%q became %q:\n%s", line, out, diff)
		}
	})
}
