package lists

import (
	"github.com/rcpt/rcpt/internal/listdata/domainname"
	"github.com/rcpt/rcpt/internal/listdata/table"
)

// Match returns the entries that an address matches. local is the unquoted
// local-part, domain is in lower-case A-labels; either may be empty.
//
// There is at most one match for each list, in the order of the constants. The
// user's entries come before the edition's and are overruled by the user's
// Allow entries only. An Allow entry that covers the address is always among
// the matches, so that a caller can disregard what [Lists.MatchHosts] says
// about the domain.
func (l *Lists) Match(local, domain string) []Match { return l.appendMatches(nil, local, domain) }

// Has reports whether an address is on a list, as the flags of a verification
// do: entries that are a weak hint of a spam trap do not count. The arguments
// are as in [Lists.Match].
func (l *Lists) Has(list Kind, local, domain string) bool {
	var room [8]Match
	for _, m := range l.appendMatches(room[:0], local, domain) {
		if m.List == list && m.Confidence != ConfidenceWeak {
			return true
		}
	}
	return false
}

// appendMatches appends the matches of [Lists.Match]. If found has room, it
// does not allocate for an ASCII address.
func (l *Lists) appendMatches(found []Match, local, domain string) []Match {
	var f findings
	m := newMailbox(local, domain)
	for i := range l.sets {
		l.sets[i].matchDomain(&f, &m)
	}
	l.matchLocal(&f, &m)
	return f.appendTo(found)
}

// matchDomain looks for the domain and its parents, and for the address where
// the domain has some.
func (s *set) matchDomain(f *findings, m *mailbox) {
	if s.digests.any() {
		s.matchDigests(f, m)
	}
	hits := s.domains.Find(m.domain)
	for e, ok := hits.Next(); ok; e, ok = hits.Next() {
		match := s.match(e)
		if match.List == listAddresses {
			s.matchAddress(f, m)
		}
		f.add(s, match)
	}
	for parent, ok := domainname.Parent(m.domain); ok; parent, ok = domainname.Parent(parent) {
		hits := s.domains.Find(parent)
		for e, ok := hits.Next(); ok; e, ok = hits.Next() {
			if match := s.match(e); covers(match) && domainname.SameRegistrant(parent, m.domain) {
				f.add(s, match)
			}
		}
	}
}

// covers reports whether an entry also matches the names below it. A free
// provider's sub-domain may belong to a customer.
func covers(m Match) bool {
	switch m.List {
	case KindDisposable:
		return m.Group != freeSubdomain
	case KindRelay, KindSpamTrap, KindAllow:
		return true
	}
	return false
}

// matchAddress looks for the address as it is and without its tag.
func (s *set) matchAddress(f *findings, m *mailbox) {
	for _, local := range m.spellings() {
		s.addAll(f, s.addresses.Find(local+"@"+m.domain))
	}
}

func (s *set) addAll(f *findings, hits table.Hits) {
	for e, ok := hits.Next(); ok; e, ok = hits.Next() {
		f.add(s, s.match(e))
	}
}
