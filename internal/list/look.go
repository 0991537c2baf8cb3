package list

import (
	"slices"
	"strconv"
	"strings"
)

// Names returns the names of all columns or fields that the beginning of the
// list has: those of an earlier run, too. A column without a name is called by
// its number: "Column 3".
func (r *Reader) Names() []string {
	switch s := r.shape.(type) {
	case *csvShape:
		names := make([]string, s.width)
		for i := range names {
			if names[i] = strings.TrimSpace(toUTF8(s.name(i))); names[i] == "" {
				names[i] = "Column " + strconv.Itoa(i+1)
			}
		}
		return names
	case *jsonShape:
		return slices.Clone(s.known)
	}
	return r.shape.taken()
}

// ReadNames returns which of Names are read for addresses.
func (r *Reader) ReadNames() []string {
	csv, is := r.shape.(*csvShape)
	if !is {
		return slices.Clone(r.shape.readNames())
	}
	names := r.Names()
	var read []string
	for _, i := range csv.read {
		read = append(read, names[i])
	}
	return read
}

// Numbered reports whether columns can be chosen by their number, from 1.
func (r *Reader) Numbered() bool {
	_, is := r.shape.(*csvShape)
	return is
}

// Cells returns the cells of a row, for people, in the order of Names.
func (r *Reader) Cells(raw string) []string {
	switch s := r.shape.(type) {
	case *csvShape:
		body, _ := cutLineEnd(raw)
		return cells(body, s.delimiter)
	case *jsonShape:
		found := make([]string, len(s.known))
		_, members, _, err := s.parse(raw)
		if err != nil {
			return []string{strings.TrimSpace(raw)}
		}
		for _, m := range members {
			if i, known := s.place[m.key]; known {
				found[i] = m.cell()
			}
		}
		return found
	}
	return []string{strings.TrimSpace(raw)}
}
