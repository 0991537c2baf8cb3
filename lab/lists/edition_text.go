package main

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// addText adds a list that comes out of packages. Reasons are those that hand
// files give for entries.
func (d *draft) addText(f listfile.File, reasons map[string]string) {
	into := &d.Domains
	if f.Name == listRole {
		into = &d.Words
	}
	head := bundle.List{Name: f.Name, Count: len(f.Entries), About: f.About}
	counts := make(map[string]int)
	for _, e := range f.Entries {
		sources := f.Of(e)
		for _, s := range sources {
			counts[s.Letter]++
		}
		tier := bestTier(sources)
		if tier == tierCurated {
			head.Curated++
		}
		*into = append(*into, bundle.Entry{Name: e.Name, Listing: bundle.Listing{
			List: f.Name, Confidence: tier, Group: e.Group, Source: origin(sources, reasons[e.Name]),
		}})
	}
	d.Lists = append(d.Lists, head)
	for _, s := range f.Sources {
		d.Sources = append(d.Sources, bundle.Source{
			List: f.Name, Name: s.Name, License: s.License, Tier: s.Tier, Count: counts[s.Letter],
		})
	}
}

func bestTier(sources []listfile.Source) string {
	for _, s := range sources {
		if s.Tier == tierCurated {
			return tierCurated
		}
	}
	return tierBulk
}

// origin names the sources of an entry. The hand files come last, with their
// reason.
func origin(sources []listfile.Source, reason string) string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	joined := strings.Join(names, ", ")
	if reason != "" {
		joined += ": " + reason
	}
	return joined
}
