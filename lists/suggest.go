package lists

import (
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
	"github.com/rcpt/rcpt/internal/listdata/suggest"
)

// Suggest returns the domain that a mistyped one, in lower-case A-labels, was
// probably meant to be: gmail.com for gmial.com. It considers the name only. A
// domain that is known to belong to somebody is never taken for a mistyped one.
func (l *Lists) Suggest(domain string) (string, bool) {
	if l.suggester == nil {
		return "", false
	}
	return l.suggester().Suggest(domain)
}

func (l *Lists) newSuggester() *suggest.Suggester {
	var targets []suggest.Target
	for t := range l.edition.targets {
		targets = append(targets, suggest.Target{Domain: t.domain, Weight: t.weight})
	}
	return suggest.New(targets, l.isKnown)
}

// isKnown reports whether the domain is on a list of domains that are in use.
func (l *Lists) isKnown(domain string) bool {
	for i := range l.sets {
		s := &l.sets[i]
		hits := s.domains.Find(domain)
		for e, ok := hits.Next(); ok; e, ok = hits.Next() {
			switch s.match(e).List {
			case KindFree, KindRelay, KindAllow, listKnown:
				return true
			}
		}
	}
	return false
}

// matchTypo matches a domain that looks like a big provider's and has mail
// hosts of somebody else, who may collect mistyped mail. The hosts are in the
// form of lists.
func (l *Lists) matchTypo(domain string, hosts []string) (Match, bool) {
	meant, ok := l.Suggest(domain)
	if !ok || len(hosts) == 0 {
		return Match{}, false
	}
	for t := range l.edition.targets {
		if t.domain == meant && !t.runs(hosts) {
			source := "rcpt: looks like " + meant + ", and has other mail hosts"
			return Match{List: KindSpamTrap, Entry: "typo:" + meant, Source: source, Confidence: ConfidenceWeak}, true
		}
	}
	return Match{}, false
}

// target is a provider's domain that people mistype.
type target struct {
	domain string
	weight int
	hosts  string // suffixes of its mail hosts, between spaces
}

// runs reports whether one of the mail hosts is the provider's.
func (t target) runs(hosts []string) bool {
	for _, host := range hosts {
		for suffix := range strings.FieldsSeq(t.hosts) {
			if domainname.Within(host, suffix) {
				return true
			}
		}
	}
	return false
}

// targets yields the targets of an edition.
func (b *Bundle) targets(yield func(target) bool) {
	for line := range strings.Lines(b.bundle.Targets) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		weight, err := strconv.Atoi(fields[1])
		if err == nil && !yield(target{domain: fields[0], weight: weight, hosts: fields[2]}) {
			return
		}
	}
}
