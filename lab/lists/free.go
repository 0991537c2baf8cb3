package main

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// minVotes is how many packages must have a domain as a free provider's. One
// package is not enough: each lists hundreds of names that are not free
// providers.
const minVotes = 2

// free makes the list from the domains that enough packages have, without
// disposable domains, public suffixes, schools and mistyped providers, and with
// the changes of the hand files.
func (in *inputs) free(disposable entries) entries {
	throwaway := normalized(in.raw[holdsNotFree])
	listed, mistyped := disposable.names(), in.hand.mistyped()
	agreed := make(entries)
	for name, e := range in.votes() {
		if len(e.letters) >= minVotes && !domainname.IsSuffix(name) && !isSchool(name) &&
			!throwaway.has(name) && !listed.covers(name) && !mistyped(name) {
			agreed[name] = e
		}
	}
	return in.hand.apply(listFree, agreed)
}

// votes are the names that packages have as free providers', with the letters
// of the packages. A pattern, such as "yahoo.*", does not count: it matches
// mistyped names, too.
func (in *inputs) votes() entries { return normalized(in.raw[holdsFree]) }

// isSchool reports a name under a suffix of schools and universities: their
// mailboxes are not for everyone.
func isSchool(name string) bool {
	for _, label := range strings.Split(name, ".")[1:] {
		if label == "edu" || label == "ac" {
			return true
		}
	}
	return false
}

// notFree reports names that hand files keep out: what they drop, and the
// relays with all names below them, which are users' own.
func (h *hand) notFree() func(name string) bool {
	dropped, relays := names(h.freeDrop), names(h.relay)
	return func(name string) bool { return dropped[name] || relays.covers(name) }
}
