package lists

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// MatchHosts finds what the mail exchangers of a domain say about it; an entry
// is "mx:" and the host.
//
//   - Disposable: a host belongs to a disposable service or lies in a
//     disposable domain. One host is enough.
//   - SpamTrap: a host is on a user's list (strong), or belongs to a domain
//     parking service (weak); or the domain looks like a mistyped one of a big
//     provider and no host is that provider's (weak; the entry is "typo:" and
//     the provider's domain).
//
// A host that serves all kinds of domains, or one in an allowed domain, says
// nothing.
func (l *Lists) MatchHosts(domain string, hosts []string) []Match {
	var f findings
	hosts = hostNames(hosts)
	for _, host := range hosts {
		if !l.saysNothing(host) {
			l.matchHost(&f, host)
		}
	}
	if match, ok := l.matchTypo(domain, hosts); ok {
		f.add(&l.sets[len(l.sets)-1], match)
	}
	return f.appendTo(nil)
}

// hostNames returns mail exchangers in the form of lists. The root, which means
// none (RFC 7505), and invalid names are omitted.
func hostNames(hosts []string) []string {
	var names []string
	for _, host := range hosts {
		name := strings.ToLower(strings.TrimSuffix(host, "."))
		if name != "" && len(name) <= maxDomain {
			names = append(names, name)
		}
	}
	return names
}

// saysNothing reports whether a host belongs to a service for all kinds of
// domains or lies in an allowed domain.
func (l *Lists) saysNothing(host string) bool {
	for i := range l.sets {
		s := &l.sets[i]
		for name, ok := host, true; ok; name, ok = domainname.Parent(name) {
			if s.lists(s.hosts, name, listShared) || s.lists(s.domains, name, KindAllow) {
				return true
			}
		}
	}
	return false
}

// matchHost looks for the host and the names above it, among the mail hosts and
// among the disposable domains.
func (l *Lists) matchHost(f *findings, host string) {
	for i := range l.sets {
		s := &l.sets[i]
		for name, ok := host, true; ok; name, ok = domainname.Parent(name) {
			hits := s.hosts.Find(name)
			for e, ok := hits.Next(); ok; e, ok = hits.Next() {
				s.addHost(f, s.match(e), host)
			}
			hits = s.domains.Find(name)
			for e, ok := hits.Next(); ok; e, ok = hits.Next() {
				match := s.match(e)
				covered := name == host || covers(match) && domainname.SameRegistrant(name, host)
				if match.List == KindDisposable && covered {
					s.addHost(f, match, host)
				}
			}
		}
	}
}

func (s *set) addHost(f *findings, match Match, host string) {
	match.Entry = hostPrefix + host
	f.add(s, match)
}
