package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func open(t *testing.T, data string) Table {
	t.Helper()
	table, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func values(t Table, name string) []uint16 {
	var found []uint16
	hits := t.Find(name)
	for e, ok := hits.Next(); ok; e, ok = hits.Next() {
		found = append(found, e.Value)
	}
	return found
}

func anyValue(uint16) bool { return true }

// Every entry of tables of many sizes is found, and its neighbours are not.
func TestFind(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 7, 100, 5000} {
		var entries []Entry
		for i := range size {
			entries = append(entries, Entry{fmt.Sprintf("n%04d.example", i), uint16(i)})
		}
		table := open(t, Build(entries))
		if err := table.Check(anyValue); err != nil {
			t.Errorf("%d entries: %v", size, err)
		}
		for _, e := range entries {
			if diff := gocmp.Diff([]uint16{e.Value}, values(table, strings.ToUpper(e.Name))); diff != "" {
				t.Fatalf("%d entries: %s: %s", size, e.Name, diff)
			}
			for _, near := range []string{e.Name + "x", e.Name[1:], e.Name[:len(e.Name)-1], ""} {
				if table.Has(near) {
					t.Fatalf("%d entries: has %q", size, near)
				}
			}
		}
		all := slices.SortedFunc(table.All(), func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
		if !slices.Equal(all, entries) {
			t.Errorf("%d entries: %d listed", size, len(all))
		}
	}
}

func TestFindSeveralValues(t *testing.T) {
	table := open(t, Build([]Entry{{"a.example", 1}, {"b.example", 2}, {"a.example", 65535}}))
	if diff := gocmp.Diff([]uint16{1, 65535}, values(table, "a.example")); diff != "" {
		t.Error(diff)
	}
}

func TestDamaged(t *testing.T) {
	whole := Build([]Entry{{"a.example", 1}, {"b.example", 2}, {"c.example", 3}, {"d.example", 4}, {"e.example", 5}})
	for name, data := range map[string]string{
		"cut in the head":   whole[:5],
		"cut in the index":  whole[:11],
		"cut in an entry":   whole[:len(whole)-1],
		"bytes behind":      whole + "x",
		"no buckets":        "\x00\x00\x00\x00" + whole[4:],
		"three buckets":     "\x03\x00\x00\x00" + whole[4:],
		"bucket far away":   whole[:8] + "\xff\xff\xff\x7f" + whole[12:],
		"length of a name":  whole[:16] + "\xff" + whole[17:],
		"a value too large": whole,
	} {
		table, err := Open(data)
		if err == nil {
			err = table.Check(func(v uint16) bool { return v < 5 })
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A table that passes its check can be searched and listed, whatever it holds.
func FuzzCheck(f *testing.F) {
	f.Add(Build([]Entry{{"a.example", 1}, {"b.example", 2}, {"c.example", 3}, {"d.example", 4}, {"e.example", 5}}), "a.example")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, data, name string) {
		table, err := Open(data)
		if err != nil || table.Check(anyValue) != nil {
			return
		}
		values(table, name)
		for e := range table.All() {
			if name := strings.ToLower(e.Name); name == e.Name {
				values(table, e.Name)
			}
		}
	})
}
