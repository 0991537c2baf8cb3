package listfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFileRoundTrip(t *testing.T) {
	want := File{
		Header: Header{
			Name:    "disposable",
			About:   "some domains",
			Date:    "2026-11-20",
			Count:   2,
			License: "MIT, CC0-1.0",
			Sources: []Source{{"a", "one 1.0"}, {"b", "two 2.0"}},
		},
		Table: NewTable([]Entry{{"b.example", "ab"}, {"a.example", "b"}}),
	}
	var text strings.Builder
	if _, err := want.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Table{})); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	const head = firstLine + "free\n"
	for name, text := range map[string]string{
		"empty":            "",
		"no header":        "a.example\n\nb.example\n",
		"no blank line":    head + "a.example\n",
		"unknown key":      head + "# colour: red\n\na.example\n",
		"no value":         head + "# date\n\na.example\n",
		"count in letters": head + "# count: two\n\na.example\n",
		"cut off":          head + "# count: 1\n\na.exam",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOrigin(t *testing.T) {
	h := Header{Sources: []Source{{"a", "one 1.0"}, {"b", "two 2.0"}}}
	if got := h.Origin("ab"); got != "one 1.0, two 2.0" {
		t.Errorf("both: %q", got)
	}
	if got := h.Origin("b"); got != "two 2.0" {
		t.Errorf("second: %q", got)
	}
	if got := h.Origins(); got != "one 1.0, two 2.0" {
		t.Errorf("all: %q", got)
	}
	if got := (&Header{}).Origin("webmail"); got != "rcpt: webmail" {
		t.Errorf("by hand: %q", got)
	}
}

func TestNewTable(t *testing.T) {
	table := NewTable([]Entry{{"b", "1"}, {"a-b", ""}, {"a", "2"}, {"b", "3"}})
	want := []Entry{{"a", "2"}, {"a-b", ""}, {"b", "1"}}
	if diff := cmp.Diff(want, slices.Collect(table.All()), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if table.Len() != len(want) {
		t.Errorf("Len is %d", table.Len())
	}
}

// Every entry of tables of all sizes is found, and its neighbours are not.
func TestFind(t *testing.T) {
	for size := range 20 {
		var entries []Entry
		for i := range size {
			entries = append(entries, Entry{Name: fmt.Sprintf("n%02d.example", i), Note: fmt.Sprint(i)})
		}
		table := NewTable(entries)
		for _, e := range entries {
			if got, ok := table.Find(strings.ToUpper(e.Name)); !ok || got != e {
				t.Errorf("%d entries: Find(%q) = %v, %t", size, e.Name, got, ok)
			}
			for _, near := range []string{e.Name + "x", e.Name[1:], e.Name[:len(e.Name)-1], ""} {
				if got, ok := table.Find(near); ok {
					t.Errorf("%d entries: Find(%q) = %v", size, near, got)
				}
			}
		}
	}
}
