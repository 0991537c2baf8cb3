package lists

import (
	"github.com/rcpt/rcpt/lists/internal/domainname"
	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// set is the entries of one file, sorted by what they name.
type set struct {
	origin    func(note string) string // of an entry, for [Match.Source]
	embedded  bool                     // not a user's
	covers    Kind                     // of the embedded Allow set: the one list it wins over
	words     listfile.Table           // local-parts
	domains   listfile.Table
	addresses map[string]listfile.Table // local-parts by domain
	hosts     listfile.Table            // mail exchangers
}

// find looks for the mailbox the way the list of this kind is matched.
func (s *set) find(kind Kind, m mailbox) (Match, bool) {
	if e, ok := findEither(s.addresses[m.domain], m); ok {
		return s.match(kind, e, e.Name+"@"+m.domain), true
	}
	if e, ok := s.findWord(kind, m); ok {
		return s.match(kind, e, e.Name), true
	}
	if e, ok := s.findDomain(kind, m.domain); ok {
		return s.match(kind, e, e.Name), true
	}
	return Match{}, false
}

func (s *set) match(kind Kind, e listfile.Entry, entry string) Match {
	return Match{List: kind, Entry: entry, Source: s.origin(e.Note)}
}

// findWord looks for the local-part, for spam traps also for each of its tokens: a person may be called Honey, nobody is called Spamtrap.
func (s *set) findWord(kind Kind, m mailbox) (listfile.Entry, bool) {
	if e, ok := findEither(s.words, m); ok || kind != SpamTrap {
		return e, ok
	}
	for token := range m.tokens {
		if e, ok := s.words.Find(token); ok {
			return e, true
		}
	}
	return listfile.Entry{}, false
}

func (s *set) findDomain(kind Kind, domain string) (listfile.Entry, bool) {
	if kind == Free {
		return s.domains.Find(domain)
	}
	return findUp(s.domains, domain)
}

// findEither looks for a local-part as it is and without its tag.
func findEither(t listfile.Table, m mailbox) (listfile.Entry, bool) {
	if e, ok := t.Find(m.local); ok {
		return e, true
	}
	return t.Find(m.base)
}

// findUp looks for a domain, then for its parents. A public suffix among the entries matches itself alone: below it live strangers.
func findUp(t listfile.Table, domain string) (listfile.Entry, bool) {
	if e, ok := t.Find(domain); ok {
		return e, true
	}
	for name, ok := domainname.Parent(domain); ok; name, ok = domainname.Parent(name) {
		if e, found := t.Find(name); found {
			return e, domainname.SameRegistrant(name, domain)
		}
	}
	return listfile.Entry{}, false
}
