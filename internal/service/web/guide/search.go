package guide

import (
	"cmp"
	"slices"
	"strings"
)

// hit is a section that a search has found.
type hit struct {
	Document, Title string
	Path            string // with the anchor
	Excerpt         string
	rank            int
}

// The ranks of hits, the best first.
const (
	isTitle = iota // the query is the title
	inTitle        // a word of the query is in the title
	inText
)

const (
	maxHits = 40
	// excerpt is how much text is shown around the first word, in octets.
	excerptBefore, excerptAfter = 60, 160
)

// search returns the sections that have all words of the query: the one with
// the query as its title first, then those with a word in their title.
func search(all []document, query string) []hit {
	query = strings.ToLower(query)
	words := strings.Fields(query)
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
			rank := inText
			if title == query {
				rank = isTitle
			} else if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(title, word) }) {
				rank = inTitle
			}
			hits = append(hits, hit{d.Title, s.title, d.Path + "#" + s.id, excerpt(s.text, words), rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
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
