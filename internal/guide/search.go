package guide

import (
	"slices"
	"strings"
)

// hit is a section that a search has found.
type hit struct {
	Document, Title string
	Path            string // with the anchor
	Excerpt         string
	inTitle         bool
}

const (
	maxHits = 40
	// excerpt is how much text is shown around the first word, in octets.
	excerptBefore, excerptAfter = 60, 160
)

// search returns the sections that have all words of the query, those with a
// word in their title first.
func search(all []document, query string) []hit {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var hits []hit
	for _, d := range all {
		for _, s := range d.sections {
			title, body := strings.ToLower(s.title), strings.ToLower(s.text)
			missing := func(word string) bool { return !strings.Contains(title+" "+body, word) }
			if slices.ContainsFunc(words, missing) {
				continue
			}
			inTitle := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(title, word) })
			hits = append(hits, hit{d.Title, s.title, d.Path + "#" + s.id, excerpt(s.text, words), inTitle})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.inTitle == b.inTitle:
			return 0
		case a.inTitle:
			return -1
		}
		return 1
	})
	return hits[:min(len(hits), maxHits)]
}

// excerpt returns the text around the first of the words that is in it.
func excerpt(text string, words []string) string {
	text = strings.Join(strings.Fields(text), " ")
	at := len(text)
	for _, word := range words {
		if i := strings.Index(strings.ToLower(text), word); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(text) {
		at = 0
	}
	from, to := max(0, at-excerptBefore), min(len(text), at+excerptAfter)
	part := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		part = "…" + part
	}
	if to < len(text) {
		part += "…"
	}
	return part
}
