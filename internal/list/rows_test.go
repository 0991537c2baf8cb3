package list

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// rowsOf are the rows of a text that is read in parts of the size of a buffer.
func rowsOf(t *testing.T, text string, delimiter byte, buffer int) (rows []string, lines []int) {
	t.Helper()
	r := rowReader{text: bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), buffer), delimiter: delimiter}
	for {
		row, err := r.read()
		if errors.Is(err, io.EOF) {
			return rows, lines
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		rows, lines = append(rows, row), append(lines, r.line)
	}
}

// TestRowEnds: where rows end, at which lines they begin, and that the parts in
// which a text arrives make no difference.
func TestRowEnds(t *testing.T) {
	for _, c := range []struct {
		text  string
		rows  []string
		lines []int
	}{
		{"a\nb\r\nc\rd\r\r\ne", []string{"a\n", "b\r\n", "c\r", "d\r\r\n", "e"}, []int{1, 2, 3, 4, 5}},
		{"a\r\rb\r", []string{"a\r", "b\r"}, []int{1, 3}},
		{"\r\n\n\ra\r", []string{"a\r"}, []int{4}},
		{"\"a\nb\rc\r\nd\",x\re", []string{"\"a\nb\rc\r\nd\",x\r", "e"}, []int{1, 5}},
		{"\"a\"\r\"b\"\r\r\n\"c\"\r", []string{"\"a\"\r", "\"b\"\r\r\n", "\"c\"\r"}, []int{1, 2, 3}},
		{"\"a\" x\r\"b\"\r", []string{"\"a\" x\r", "\"b\"\r"}, []int{1, 2}},
		{"a\"\rb\"\r", []string{"a\"\r", "b\"\r"}, []int{1, 2}},
		{strings.Repeat("x", 40) + "\r\r\ny", []string{strings.Repeat("x", 40) + "\r\r\n", "y"}, []int{1, 2}},
	} {
		for buffer := 16; buffer < 48; buffer++ {
			rows, lines := rowsOf(t, c.text, ',', buffer)
			if diff := cmp.Diff(c.rows, rows); diff != "" {
				t.Fatalf("%q by %d octets:\n%s", c.text, buffer, diff)
			}
			if diff := cmp.Diff(c.lines, lines); diff != "" {
				t.Fatalf("%q begins at other lines:\n%s", c.text, diff)
			}
		}
	}
}

// FuzzRows: no octet of a text is lost or comes twice but for lines that are
// empty, whatever the parts in which it arrives.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{"a,b\r\nc", "a\rb\n", "\"a\r\n\",b\r\r\n\r\rc", "\"a\"x\r\"", "\r", "a\x00\r\x00"} {
		f.Add(seed, ",", 16)
		f.Add(seed, "\x00", 17)
	}
	f.Fuzz(func(t *testing.T, text, delimiters string, buffer int) {
		if buffer < 16 || buffer > 1<<12 || delimiters == "" || strings.ContainsAny(delimiters[:1], "\"\r\n") {
			return
		}
		r := rowReader{text: bufio.NewReaderSize(strings.NewReader(text), buffer), delimiter: delimiters[0]}
		whole := rowReader{text: bufio.NewReaderSize(strings.NewReader(text), 1<<20), delimiter: delimiters[0]}
		rest := text
		for {
			row, err := r.readAny()
			if again, wholeErr := whole.readAny(); again != row || (err == nil) != (wholeErr == nil) {
				t.Fatalf("%q in parts is %q, %v, else %q, %v", text, row, err, again, wholeErr)
			}
			if err != nil {
				if errors.Is(err, io.EOF) && rest != "" {
					t.Fatalf("%q: %q is lost", text, rest)
				}
				return
			}
			var found bool
			if rest, found = strings.CutPrefix(rest, row); strings.Trim(rest, "\x00") == "" {
				rest = "" // NULs that fill up a block
			}
			if !found || row == "" && rest != "" {
				t.Fatalf("%q: row %q before %q", text, row, rest)
			}
			if r.lines < r.line {
				t.Fatalf("%q: the row has no line", text)
			}
		}
	})
}

// TestTextQuotes: between tabs, a quote that nothing closes is text; others may
// have line ends within.
func TestTextQuotes(t *testing.T) {
	many := strings.Repeat("\"x\ta@b.example\n", 3*maxUnclosed)
	for _, c := range []struct{ name, list, want string }{
		{"at the end", "n\temail\n\"C\ta@b.example\nD\tc@d.example\n", "n\temail\t@\n\"\"\"C\"\ta@b.example\t#\nD\tc@d.example\t#\n"},
		{"before a quote within a cell", "n\temail\n\"C\ta@b.example\n5\" D\tc@d.example\n", "n\temail\t@\n\"\"\"C\"\ta@b.example\t#\n5\" D\tc@d.example\t#\n"},
		{"with a line end within", "n\temail\n\"C\nE\"\ta@b.example\nD\tc@d.example\n", "n\temail\t@\n\"C\nE\"\ta@b.example\t#\nD\tc@d.example\t#\n"},
		{"in the last row", "n\temail\nD\tc@d.example\n\"C\ta@b.example", "n\temail\t@\nD\tc@d.example\t#\n\"\"\"C\"\ta@b.example\t#\n"},
		{"in many rows", "n\temail\nD\tc@d.example\n" + many,
			"n\temail\t@\nD\tc@d.example\t#\n" + strings.ReplaceAll(strings.ReplaceAll(many, "\"x", "\"\"\"x\""), "example", "example\t#")},
	} {
		if got := written(t, c.list, Options{Format: CSV, Delimiter: '\t'}, Output{Format: CSV}); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestNULs: nobody is asked about an address with a NUL in it.
func TestNULs(t *testing.T) {
	r := open(t, "id,email\n1\x00,a@acme.example\n2,b@acme\x00.example\n3,c@acme.example\n", Options{})
	for _, want := range []Kind{Address, Unreadable, Address} {
		row, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if kind, text := row.Held(0); kind != want {
			t.Errorf("line %d: %v %q, want %v", row.Line, kind, text, want)
		}
	}
}
