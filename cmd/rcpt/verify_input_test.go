package main

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
		want        []question
	}{
		{"addresses", "a@b.example\nc@d.example\n", []question{{address: "a@b.example"}, {address: "c@d.example"}}},
		{"without a last line feed", "a@b.example", []question{{address: "a@b.example"}}},
		{"CR LF", "a@b.example\r\nc@d.example\r\n", []question{{address: "a@b.example"}, {address: "c@d.example"}}},
		{"byte order mark", "\ufeffa@b.example\n\ufeffc@d.example\n", []question{{address: "a@b.example"}, {address: "\ufeffc@d.example"}}},
		{"blanks", "\t a@b.example \n", []question{{address: "a@b.example"}}},
		{"blanks beyond ASCII", "\u00a0a@b.example\u3000\r\n", []question{{address: "a@b.example"}}},
		{"empty lines", "\n \t \r\na@b.example\n\n", []question{{}, {}, {address: "a@b.example"}, {}}},
		{"object", `{"email":" a@b.example\n","x":[1]}`, []question{{address: " a@b.example\n"}}},
		{"address like an object", "{a}@b.example\n{a@b.example\n", []question{{address: "{a}@b.example"}, {address: "{a@b.example"}}},
		{"the longest line", long, []question{{address: long}}},
		{"too long an address", long + "y\na@b.example\n", []question{{address: long}, {address: "a@b.example"}}},
		{"too long an object", `{"email":"` + long + "\"}\na@b.example", []question{
			{`{"email":"` + long[:maxEcho-10], errors.New("line 1 is longer than 65536 octets")}, {address: "a@b.example"}}},
		{"broken object", "\n" + `{"email":"a@b.example"` + "\n", []question{{},
			{`{"email":"a@b.example"`, errors.New("line 2: not a JSON object: unexpected end of JSON input")}}},
		{"null", `{"email":null}`, []question{{`{"email":null}`, errors.New(`line 1: the JSON object has no string "email"`)}}},
		{"empty email", `{"email":""}`, []question{{address: ""}}},
		{"nothing", "", nil},
	} {
		for kind, reader := range map[string]io.Reader{
			"whole":       strings.NewReader(c.input),
			"with io.EOF": iotest.DataErrReader(strings.NewReader(c.input)),
		} {
			var got []question
			for q := range lines(reader) {
				got = append(got, q)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(question{}), sameError, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%.2000s", c.name, kind, diff)
			}
		}
	}
}

// sameError compares errors by what people read.
var sameError = cmp.Comparer(func(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
})

// TestLinesCannotBeRead: what was read is asked, then the failure is told.
func TestLinesCannotBeRead(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a@b.example\nc@d"), iotest.ErrReader(errors.New("disk on fire")))
	var got []question
	for q := range lines(broken) {
		got = append(got, q)
	}
	want := []question{{address: "a@b.example"}, {err: errors.New("cannot read line 2: disk on fire")}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(question{}), sameError); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinesAreNotHeld: of an endless line no more is kept than its beginning.
func TestLinesAreNotHeld(t *testing.T) {
	endless := io.LimitReader(zeros{}, 64<<20)
	for q := range lines(endless) {
		if len(q.address) > maxLine {
			t.Errorf("%d octets kept", len(q.address))
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
