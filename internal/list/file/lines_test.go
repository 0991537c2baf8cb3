package file

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct {
		name, input string
		want        []Line
	}{
		{"addresses", "a@b.example\nc@d.example\n", []Line{{Address: "a@b.example"}, {Address: "c@d.example"}}},
		{"without a last line feed", "a@b.example", []Line{{Address: "a@b.example"}}},
		{"CR LF", "a@b.example\r\nc@d.example\r\n", []Line{{Address: "a@b.example"}, {Address: "c@d.example"}}},
		{"byte order mark", "\ufeffa@b.example\n\ufeffc@d.example\n", []Line{{Address: "a@b.example"}, {Address: "\ufeffc@d.example"}}},
		{"UTF-16, little endian", "\xff\xfea\x00@\x00\xfc\x00.\x00d\x00e\x00\r\x00\n\x00b\x00@\x00d\x00e\x00", []Line{{Address: "a@ü.de"}, {Address: "b@de"}}},
		{"UTF-16, big endian", "\xfe\xff\x00a\x00@\x00\xfc\x00.\x00d\x00e\x00\n", []Line{{Address: "a@ü.de"}}},
		{"no text", "\xffa@b.example\n", []Line{{Address: "\xffa@b.example"}}},
		{"blanks", "\t a@b.example \n", []Line{{Address: "a@b.example"}}},
		{"blanks beyond ASCII", "\u00a0a@b.example\u3000\r\n", []Line{{Address: "a@b.example"}}},
		{"empty lines", "\n \t \r\na@b.example\n\n", []Line{{}, {}, {Address: "a@b.example"}, {}}},
		{"object", `{"email":" a@b.example\n","x":[1]}`, []Line{{Address: " a@b.example\n"}}},
		{"address like an object", "{a}@b.example\n{a@b.example\n", []Line{{Address: "{a}@b.example"}, {Address: "{a@b.example"}}},
		{"the longest line", long, []Line{{Address: long}}},
		{"too long an address", long + "y\na@b.example\n", []Line{{Address: long}, {Address: "a@b.example"}}},
		{"too long an object", `{"email":"` + long + "\"}\na@b.example", []Line{
			{`{"email":"` + long[:maxEcho-10], errors.New("line 1 is longer than 65536 octets")}, {Address: "a@b.example"}}},
		{"broken object", "\n" + `{"email":"a@b.example"` + "\n", []Line{{},
			{`{"email":"a@b.example"`, errors.New("line 2: not a JSON object: unexpected end of JSON input")}}},
		{"null", `{"email":null}`, []Line{{`{"email":null}`, errors.New(`line 1: the JSON object has no string "email"`)}}},
		{"empty email", `{"email":""}`, []Line{{Address: ""}}},
		{"nothing", "", nil},
	} {
		for kind, reader := range map[string]io.Reader{
			"whole":       strings.NewReader(c.input),
			"with io.EOF": iotest.DataErrReader(strings.NewReader(c.input)),
		} {
			var got []Line
			for q := range Lines(reader) {
				got = append(got, q)
			}
			if diff := cmp.Diff(c.want, got, sameError, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%.2000s", c.name, kind, diff)
			}
		}
	}
}

// sameError compares errors by their text.
var sameError = cmp.Comparer(func(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
})

// TestLinesCannotBeRead: the lines before a failure are yielded, then the
// failure.
func TestLinesCannotBeRead(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a@b.example\nc@d"), iotest.ErrReader(errors.New("disk on fire")))
	var got []Line
	for q := range Lines(broken) {
		got = append(got, q)
	}
	want := []Line{{Address: "a@b.example"}, {Err: errors.New("cannot read line 2: disk on fire")}}
	if diff := cmp.Diff(want, got, sameError); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinesAreNotHeld: of an endless line only the beginning is kept.
func TestLinesAreNotHeld(t *testing.T) {
	endless := io.LimitReader(zeros{}, 64<<20)
	for q := range Lines(endless) {
		if len(q.Address) > maxLine {
			t.Errorf("%d octets kept", len(q.Address))
		}
	}
}

// zeros is a source of the digit zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
