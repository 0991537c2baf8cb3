package lists

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// Disposable reports whether a domain, or a parent of it, is one of mailboxes
// to throw away, and is not allowed. The domain is Unicode or A-labels, in any
// case, with or without a trailing dot. What is no domain is not disposable,
// nor is a whole address: split it with package engine/address. The mail
// exchangers of the domain may tell more: [Lists.MatchHosts].
func (l *Lists) Disposable(domain string) bool { return l.Has(KindDisposable, "", domainOf(domain)) }

// Free reports whether everyone can have a mailbox in a domain, which is as in
// [Lists.Disposable]. Its sub-domains are not free: they may belong to
// customers.
func (l *Lists) Free(domain string) bool { return l.Has(KindFree, "", domainOf(domain)) }

// Role reports whether a local-part names a function and not a person: info,
// Sales-UK, support2, info+web. It may be in any case, and quoted as in an
// address ("info", with the quotes).
func (l *Lists) Role(local string) bool { return l.Has(KindRole, unquoted(local), "") }

// domainOf returns a domain as [Lists.Match] takes it, or nothing.
func domainOf(text string) string {
	if isASCII(text) { // what is not valid is on no list
		return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "."))
	}
	name, err := domainname.Normalize(text)
	if err != nil {
		return ""
	}
	return name
}

// unquoted returns what a quoted local-part says (RFC 5321 section 4.1.2), and
// another one as it is.
func unquoted(local string) string {
	if len(local) < 2 || local[0] != '"' || local[len(local)-1] != '"' {
		return local
	}
	var b strings.Builder
	text := local[1 : len(local)-1]
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
