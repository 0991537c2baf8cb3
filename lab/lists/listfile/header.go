package listfile

import "strings"

// Header describes a list.
type Header struct {
	Name    string
	About   string
	Date    string // of the sources, 2006-01-02
	Count   int
	Sources []Source
}

// Source is where entries come from. Its entries are marked with its letter.
type Source struct {
	Letter  string
	Name    string // with its version
	License string
	Tier    string // curated or bulk
	Day     string // of its edition, 2006-01-02; empty for our own
}

// Of returns the sources of an entry.
func (h *Header) Of(e Entry) []Source {
	var of []Source
	for _, s := range h.Sources {
		if strings.Contains(e.Letters, s.Letter) {
			of = append(of, s)
		}
	}
	return of
}
