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

// Names that begin or end like others, names of every length, and more values
// of a name than a block has names.
func TestFindAmongNeighbours(t *testing.T) {
	var entries []Entry
	for i := 1; i <= MaxName; i++ {
		entries = append(entries, Entry{strings.Repeat("a", i), 1}, Entry{strings.Repeat("b", i-1) + "a", 300})
	}
	for i := range uint16(100) {
		entries = append(entries, Entry{"many.example", i})
	}
	table := open(t, Build(entries))
	if err := table.Check(anyValue); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if found := values(table, e.Name); !slices.Contains(found, e.Value) {
			t.Fatalf("%s: %v, want %d among them", e.Name, found, e.Value)
		}
	}
	if n := len(values(table, "many.example")); n != 100 {
		t.Errorf("%d values of a name, want 100", n)
	}
	if table.Has(strings.Repeat("a", MaxName+1)) {
		t.Error("has a name that is too long")
	}
}

func TestDamaged(t *testing.T) {
	whole := Build([]Entry{{"a.example", 1}, {"b.example", 2}, {"c.example", 3}, {"d.example", 4}, {"e.example", 5}})
	const first = 12 // where the only block begins
	for name, data := range map[string]string{
		"no blocks":         "\x00\x00\x00\x00" + whole[4:],
		"many blocks":       "\x77\x00\x00\x00" + whole[4:],
		"block far away":    whole[:8] + "\xff\xff\xff\x7f" + whole[12:],
		"long name":         whole[:first] + "\x0f\xff" + whole[first+2:],
		"shares too much":   whole[:first] + "\x19" + whole[first+1:],
		"out of order":      whole[:first+1] + "z" + whole[first+2:],
		"shares too little": whole[:first+11] + "\x01" + "q" + whole[first+13:],
		"cut in the head":   whole[:5],
		"cut in the index":  whole[:11],
		"cut in an entry":   whole[:len(whole)-1],
		"bytes behind":      whole + "x",
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
