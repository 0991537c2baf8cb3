package lists

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/table"
)

// matchLocal looks for words in the local-part. A word inside a longer one is
// not matched: marketa@ is a person.
func (l *Lists) matchLocal(f *findings, m *mailbox) {
	for _, spelling := range [...]string{m.base, m.local} {
		l.addWord(f, spelling)
		if m.base == m.local {
			break
		}
	}
	if m.ignoresDots() && strings.Contains(m.base, ".") {
		l.addWord(f, strings.ReplaceAll(m.base, ".", ""))
	}
	if !f.has(KindRole) {
		l.matchRole(f, m.base)
	}
	if strings.ContainsAny(m.base, ".-_") {
		l.matchTrapTokens(f, m.base)
	}
}

// addWord adds all matches of the word alone.
func (l *Lists) addWord(f *findings, word string) {
	for i := range l.sets {
		l.sets[i].addAll(f, l.sets[i].words.Find(word))
	}
}

// matchRole looks for roles of several words, or with a number: sales-uk@,
// support2@. Each part must be the word of a role, a qualifier or a number, and
// one at least the word of a role: mark.sales@ is a person.
func (l *Lists) matchRole(f *findings, local string) {
	var role Match
	var of *set
	for more := true; more; {
		var token string
		token, local, more = nextToken(local)
		match, s, fits := l.partOfRole(token)
		if !fits {
			return
		}
		if of == nil && match.List == KindRole {
			role, of = match, s
		}
	}
	if of != nil {
		f.add(of, role)
	}
}

// partOfRole reports whether a token may be part of a role, and whether it is
// the word of a role itself, with or without a number at its end.
func (l *Lists) partOfRole(token string) (Match, *set, bool) {
	if match, s, ok := l.roleWord(token); ok {
		return match, s, true
	}
	word := strings.TrimRight(token, "0123456789")
	if word == "" || word == token {
		return Match{}, nil, word == "" && token != ""
	}
	return l.roleWord(word)
}

func (l *Lists) roleWord(word string) (Match, *set, bool) {
	for i := range l.sets {
		hits := l.sets[i].words.Find(word)
		for e, ok := hits.Next(); ok; e, ok = hits.Next() {
			switch match := l.sets[i].match(e); match.List {
			case KindRole, listQualifier:
				return match, &l.sets[i], true
			}
		}
	}
	return Match{}, nil, false
}

// matchTrapTokens looks for words of spam traps among the parts of the
// local-part: a person may be called Honey, but not Spamtrap.
func (l *Lists) matchTrapTokens(f *findings, local string) {
	for more := true; more; {
		var token string
		token, local, more = nextToken(local)
		for i := range l.sets {
			s := &l.sets[i]
			hits := s.words.Find(token)
			for e, ok := hits.Next(); ok; e, ok = hits.Next() {
				s.addIf(f, e, KindSpamTrap)
			}
		}
	}
}

func (s *set) addIf(f *findings, e table.Entry, list Kind) {
	if match := s.match(e); match.List == list {
		f.add(s, match)
	}
}
