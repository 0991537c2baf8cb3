package listfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// File is one list with its header.
type File struct {
	Header
	Table
}

// Header says what a list is.
type Header struct {
	Name    string
	About   string
	Date    string // of the sources, 2006-01-02
	Count   int
	License string
	Sources []Source // empty for a list kept by hand
}

// Source is where entries come from. Its letter stands in the notes of the entries that it has.
type Source struct {
	Letter string
	Name   string
}

const (
	firstLine    = "# rcpt list: "
	sourcePrefix = "source "
	byHand       = "rcpt" // the source of lists without lettered ones
)

// Parse reads the header of a list. The entries are neither copied nor checked.
func Parse(text string) (File, error) {
	head, lines, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(head, firstLine) {
		return File{}, errors.New("list without a header")
	}
	if lines != "" && !strings.HasSuffix(lines, "\n") {
		return File{}, errors.New("list whose last line has no end")
	}
	f := File{Table: Table{lines}}
	for line := range strings.SplitSeq(head, "\n") {
		if err := f.set(line); err != nil {
			return File{}, err
		}
	}
	return f, nil
}

func (h *Header) set(line string) error {
	key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
	if !ok {
		return fmt.Errorf("header line %q has no value", line)
	}
	var err error
	switch {
	case key == "rcpt list":
		h.Name = value
	case key == "about":
		h.About = value
	case key == "date":
		h.Date = value
	case key == "count":
		h.Count, err = strconv.Atoi(value)
	case key == "license":
		h.License = value
	case strings.HasPrefix(key, sourcePrefix):
		h.Sources = append(h.Sources, Source{Letter: strings.TrimPrefix(key, sourcePrefix), Name: value})
	default:
		err = fmt.Errorf("header line %q is unknown", line)
	}
	return err
}

// Origin tells where an entry with this note comes from: its sources, or for a list kept by hand the reason.
func (h *Header) Origin(note string) string {
	if len(h.Sources) == 0 {
		return byHand + ": " + note
	}
	var names []string
	for _, s := range h.Sources {
		if strings.Contains(note, s.Letter) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Origins names all sources of the list.
func (h *Header) Origins() string {
	if len(h.Sources) == 0 {
		return byHand
	}
	names := make([]string, len(h.Sources))
	for i, s := range h.Sources {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// WriteTo writes the list as [Parse] reads it. The count is taken from the table.
func (f File) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n# about: %s\n# date: %s\n# count: %d\n# license: %s\n",
		firstLine, f.Name, f.About, f.Date, f.Len(), f.License)
	for _, s := range f.Sources {
		fmt.Fprintf(&b, "# %s%s: %s\n", sourcePrefix, s.Letter, s.Name)
	}
	b.WriteString("\n" + f.lines)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
