package lists

import (
	"strings"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// Match finds the entries that an address matches. local is the unquoted local-part, domain is in lower-case A-labels.
//
// There is at most one match a list; the user's entries come before the embedded ones, and are overruled by the user's Allow entries only. An
// Allow entry that covers the address is always among the matches, so that a caller can disregard what [Lists.MatchHosts] says about the domain.
func (l *Lists) Match(local, domain string) []Match {
	m := newMailbox(local, domain)
	var found []Match
	for _, kind := range [...]Kind{Role, Free, Disposable, SpamTrap} {
		if match, ok := l.find(kind, m); ok {
			found = append(found, match)
		}
	}
	for i := range l.sets[Allow] {
		if match, ok := l.sets[Allow][i].find(Allow, m); ok {
			return append(found, match)
		}
	}
	return found
}

// find looks for the mailbox in the sets of a list, and for an Allow entry that wins over what it finds.
func (l *Lists) find(kind Kind, m mailbox) (Match, bool) {
	for i := range l.sets[kind] {
		s := &l.sets[kind][i]
		if match, ok := s.find(kind, m); ok && !l.allows(kind, m, s.embedded) {
			return match, true
		}
	}
	return Match{}, false
}

// allows reports whether an Allow entry wins over one of the given list: the user's over every entry, an embedded one over embedded entries.
func (l *Lists) allows(kind Kind, m mailbox, embedded bool) bool {
	for i := range l.sets[Allow] {
		s := &l.sets[Allow][i]
		if s.embedded && (!embedded || s.covers != kind) {
			continue
		}
		if _, ok := s.find(Allow, m); ok {
			return true
		}
	}
	return false
}

// MatchHosts finds the entries that the names of a domain's mail exchangers match: those that lie in a disposable domain, and those that a
// user's list names. A match's entry is "mx:" and the host. A host that serves all kinds of domains, or one in an allowed domain, never
// matches.
func (l *Lists) MatchHosts(hosts []string) []Match {
	var found []Match
	for _, host := range hosts {
		host = strings.ToLower(strings.TrimSuffix(host, "."))
		if l.ordinary(host) {
			continue
		}
		if match, ok := l.findHost(host); ok {
			found = append(found, match)
		}
	}
	return found
}

func (l *Lists) ordinary(host string) bool {
	_, shared := findUp(l.shared, host)
	return shared || l.allows(Disposable, mailbox{domain: host}, true)
}

func (l *Lists) findHost(host string) (Match, bool) {
	sets := l.sets[Disposable]
	for i := range sets {
		for _, table := range [...]listfile.Table{sets[i].hosts, sets[i].domains} {
			if e, ok := findUp(table, host); ok {
				return sets[i].match(Disposable, e, "mx:"+host), true
			}
		}
	}
	return Match{}, false
}
