package listfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// File is one list with its header.
type File struct {
	Header
	Entries []Entry // in byte order of their names
}

const (
	firstLine    = "# rcpt list: "
	sourcePrefix = "source "
)

// Parse reads a list. A count that is not that of the entries, and entries out
// of order, twice or of no source, are errors.
func Parse(text string) (File, error) {
	head, lines, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(head, firstLine) {
		return File{}, errors.New("list without a header")
	}
	var f File
	for line := range strings.SplitSeq(head, "\n") {
		if err := f.set(line); err != nil {
			return File{}, err
		}
	}
	last := ""
	for line := range strings.Lines(lines) {
		e, err := f.parseEntry(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return File{}, err
		}
		if e.Name <= last {
			return File{}, fmt.Errorf("%q is out of order after %q", e.Name, last)
		}
		last = e.Name
		f.Entries = append(f.Entries, e)
	}
	if f.Count != len(f.Entries) {
		return File{}, fmt.Errorf("header counts %d entries, there are %d", f.Count, len(f.Entries))
	}
	return f, nil
}

// String is the list as [Parse] reads it.
func (f File) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n# about: %s\n# date: %s\n# count: %d\n", firstLine, f.Name, f.About, f.Date, f.Count)
	for _, s := range f.Sources {
		fmt.Fprintf(&b, "# %s%s: %s, %s, %s", sourcePrefix, s.Letter, s.Name, s.License, s.Tier)
		if s.Day != "" {
			fmt.Fprintf(&b, ", %s", s.Day)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	for _, e := range f.Entries {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
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
	case strings.HasPrefix(key, sourcePrefix):
		err = h.addSource(strings.TrimPrefix(key, sourcePrefix), value)
	default:
		err = fmt.Errorf("header line %q is unknown", line)
	}
	return err
}

func (h *Header) addSource(letter, value string) error {
	fields := strings.Split(value, ", ")
	if len(fields) != 3 && len(fields) != 4 {
		return fmt.Errorf("source %q is not a name, a licence, a tier and perhaps a day", value)
	}
	s := Source{Letter: letter, Name: fields[0], License: fields[1], Tier: fields[2]}
	if len(fields) == 4 {
		s.Day = fields[3]
	}
	h.Sources = append(h.Sources, s)
	return nil
}
