package lists

import (
	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/internal/listdata/table"
)

// set is a body of entries: an edition, or a user's list.
type set struct {
	users     bool // a user's list, and not the edition; the three that follow are for such a one
	name      string
	kind      Kind
	count     int // of entries
	listings  bundle.Listings
	domains   table.Table
	words     table.Table
	addresses table.Table
	hosts     table.Table
	digests   digests // that stand among the addresses
}

// Lists of a bundle that no address matches: they steer the others.
const (
	listQualifier = "qualifier" // words that may stand beside the word of a role
	listKnown     = "known"     // domains that are no mistyped ones
	listAddresses = "addresses" // domains with entries among the addresses
	listShared    = "shared"    // mail hosts that serve all kinds of domains
)

// match is the entry as a match.
func (s *set) match(e table.Entry) Match {
	l := s.listings.At(e.Value)
	return Match{
		List: Kind(l.List), Entry: e.Name, Source: l.Source, Group: l.Group, Confidence: Confidence(l.Confidence),
	}
}

// lists reports whether a table has the name itself on the list.
func (s *set) lists(t table.Table, name string, list Kind) bool {
	hits := t.Find(name)
	for e, ok := hits.Next(); ok; e, ok = hits.Next() {
		if s.match(e).List == list {
			return true
		}
	}
	return false
}

// findings are the matches of one address: at most one of each list.
type findings struct {
	matches [6]Match // at the place of their list
	users   [6]bool  // whether a user's entry
}

// place returns the index of the matches of a list in findings; negative for a
// list that no address matches.
func place(list Kind) int {
	switch list {
	case KindRole:
		return 0
	case KindFree:
		return 1
	case KindDisposable:
		return 2
	case KindRelay:
		return 3
	case KindSpamTrap:
		return 4
	case KindAllow:
		return 5
	}
	return -1
}

// add adds a match. The first of a list stays, but a strong hint of a spam trap
// replaces a weak one.
func (f *findings) add(s *set, m Match) {
	at := place(m.List)
	if at < 0 {
		return
	}
	had := &f.matches[at]
	if had.List == "" || had.Confidence == ConfidenceWeak && m.Confidence == ConfidenceStrong {
		*had, f.users[at] = m, s.users
	}
}

func (f *findings) has(list Kind) bool { return f.matches[place(list)].List != "" }

// appendTo appends the matches that Allow entries leave: the user's overrule
// every entry, the edition's only its own disposable domains.
func (f *findings) appendTo(found []Match) []Match {
	allow := place(KindAllow)
	for i := range f.matches {
		overruled := i != allow && f.has(KindAllow) &&
			(f.users[allow] || !f.users[i] && f.matches[i].List == KindDisposable)
		if f.matches[i].List != "" && !overruled {
			found = append(found, f.matches[i])
		}
	}
	return found
}
