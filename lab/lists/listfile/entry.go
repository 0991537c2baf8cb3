package listfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Entry is one line of a list.
type Entry struct {
	Name    string
	Letters string // of its sources
	Group   string // may be empty
}

func (e Entry) String() string {
	if e.Group == "" {
		return e.Name + "\t" + e.Letters
	}
	return e.Name + "\t" + e.Letters + "\t" + e.Group
}

// Sort brings entries into the order of a list.
func Sort(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
}

func (h *Header) parseEntry(line string) (Entry, error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 2 || len(fields) > 3 || slices.Contains(fields, "") {
		return Entry{}, fmt.Errorf("%q is not a name, letters and a group", line)
	}
	for _, letter := range fields[1] {
		if !slices.ContainsFunc(h.Sources, func(s Source) bool { return s.Letter == string(letter) }) {
			return Entry{}, fmt.Errorf("%q has a letter of no source", line)
		}
	}
	return Entry{fields[0], fields[1], strings.Join(fields[2:], "")}, nil
}
