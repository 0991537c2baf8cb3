package lists

import (
	"iter"

	"github.com/rcpt/rcpt/internal/listdata/table"
)

// Info describes a list.
type Info struct {
	Kind    Kind     `json:"list"`
	About   string   `json:"about"`
	Count   int      `json:"count"`
	Curated int      `json:"curated"` // of Count; the others are bulk
	Sources []Source `json:"sources"`
}

// Source is where entries of a list come from. An entry may come from several.
type Source struct {
	Name       string     `json:"name"`
	License    string     `json:"license,omitempty"`
	Confidence Confidence `json:"confidence,omitempty"`
	Count      int        `json:"count"`
}

// Info returns what the lists contain and where it comes from, the user's
// additions included.
func (l *Lists) Info() []Info {
	if l.edition == nil {
		return nil
	}
	var all []Info
	for _, list := range l.edition.bundle.Lists {
		i := Info{Kind: Kind(list.Name), About: list.About, Count: list.Count, Curated: list.Curated}
		for _, s := range l.edition.bundle.Sources {
			if s.List == list.Name {
				i.Sources = append(i.Sources, Source{s.Name, s.License, Confidence(s.Tier), s.Count})
			}
		}
		for n := range l.sets {
			if s := &l.sets[n]; s.users && s.kind == i.Kind {
				i.Count += s.count
				i.Sources = append(i.Sources, Source{Name: s.name, Count: s.count})
			}
		}
		all = append(all, i)
	}
	return all
}

// Edition returns the edition that the additions were made to.
func (l *Lists) Edition() *Bundle { return l.edition }

// Entries yields the entries of a list, the user's included, in no useful
// order. Those of mail exchangers begin with "mx:".
func (l *Lists) Entries(list Kind) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		for i := range l.sets {
			s := &l.sets[i]
			for _, part := range [...]struct {
				table  table.Table
				prefix string
			}{{s.domains, ""}, {s.words, ""}, {s.addresses, ""}, {s.hosts, hostPrefix}} {
				for e := range part.table.All() {
					match := s.match(e)
					match.Entry = part.prefix + match.Entry
					if match.List == list && !yield(match) {
						return
					}
				}
			}
		}
	}
}
