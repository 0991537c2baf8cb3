package list

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLook: what a list has, for people who choose a column.
func TestLook(t *testing.T) {
	for _, c := range []struct {
		name, list  string
		names, read []string
		first       []string
		numbered    bool
	}{
		{"CSV", "id,e-mail,\n1,a@acme.example,\"x\"\"y\"\n", []string{"id", "e-mail", "Column 3"}, []string{"e-mail"}, []string{"1", "a@acme.example", `x"y`}, true},
		{"no header", "1;a@acme.example\n2;b@acme.example\n", []string{"Column 1", "Column 2"}, []string{"Column 2"}, []string{"1", "a@acme.example"}, true},
		{"lines", "a@acme.example\n", []string{"email"}, []string{"email"}, []string{"a@acme.example"}, false},
		{"JSON", `{"n":1,"email":"a@acme.example"}` + "\n", []string{"n", "email"}, []string{"email"}, []string{"1", "a@acme.example"}, false},
	} {
		r := open(t, c.list, Options{})
		row, err := r.Next()
		check(t, err)
		if diff := cmp.Diff(c.names, r.Names()) + cmp.Diff(c.read, r.ReadNames()) + cmp.Diff(c.first, r.Cells(row.Raw)); diff != "" || r.Numbered() != c.numbered {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
