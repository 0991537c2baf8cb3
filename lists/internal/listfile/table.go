package listfile

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Entry is one line of a list.
type Entry struct {
	Name string
	Note string
}

// Table holds entries in byte order of their names, a line each. It is searched as it stands: no index, no copy.
type Table struct{ lines string }

// NewTable sorts entries into a table. Of entries with the same name the first stays.
func NewTable(entries []Entry) Table {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	sorted = slices.CompactFunc(sorted, func(a, b Entry) bool { return a.Name == b.Name })
	var b strings.Builder
	for _, e := range sorted {
		b.WriteString(e.Name)
		if e.Note != "" {
			b.WriteByte('\t')
			b.WriteString(e.Note)
		}
		b.WriteByte('\n')
	}
	return Table{b.String()}
}

// Find looks a name up. The case of its ASCII letters does not matter: names stand in the table in lower case.
func (t Table) Find(name string) (Entry, bool) {
	for lo, hi := 0, len(t.lines); lo < hi; {
		mid := lo + (hi-lo)/2
		start := lo + strings.LastIndexByte(t.lines[lo:mid], '\n') + 1
		end := mid + strings.IndexByte(t.lines[mid:], '\n')
		entry := parseEntry(t.lines[start:end])
		switch c := compareFold(entry.Name, name); {
		case c == 0:
			return entry, true
		case c < 0:
			lo = end + 1
		default:
			hi = start
		}
	}
	return Entry{}, false
}

// All yields the entries in order.
func (t Table) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for line := range strings.Lines(t.lines) {
			if !yield(parseEntry(strings.TrimSuffix(line, "\n"))) {
				return
			}
		}
	}
}

// Len counts the entries.
func (t Table) Len() int { return strings.Count(t.lines, "\n") }

func parseEntry(line string) Entry {
	name, note, _ := strings.Cut(line, "\t")
	return Entry{name, note}
}

// compareFold compares a lower-case name with a key of any case.
func compareFold(name, key string) int {
	for i := range min(len(name), len(key)) {
		if k := lower(key[i]); name[i] != k {
			return cmp.Compare(name[i], k)
		}
	}
	return cmp.Compare(len(name), len(key))
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
