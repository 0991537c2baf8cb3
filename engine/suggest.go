package engine

import (
	"strings"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

// suggester makes suggestions. It remembers the last domain, which addresses
// that are verified together share.
type suggester struct {
	known  *lists.Lists
	domain string
	meant  string // instead of it; empty: nothing is to be suggested
}

// suggest returns the address with the domain that was probably meant, or an
// empty text.
func (s *suggester) suggest(local, domain string) string {
	if domain != s.domain {
		s.domain = domain
		s.meant, _ = s.known.Suggest(domain)
	}
	if s.meant == "" {
		return ""
	}
	return local + "@" + s.meant
}

// suggestDotted is suggest for an address whose only fault is a domain without
// a dot: alice@gmailcom.
func (s *suggester) suggestDotted(given string, fault *address.Error) string {
	if fault == nil || fault.Reason != address.ReasonDotless {
		return ""
	}
	at := strings.LastIndexByte(given, '@')
	return s.suggest(given[:at], strings.ToLower(given[at+1:]))
}
