package lists

import (
	"errors"
	"io"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/listdata/suggest"
)

// Kind names a list.
type Kind = rcpt.ListKind

// The lists. Entries of Allow win over those of the others. Relay has the
// services that forward from an alias to a kept mailbox.
const (
	KindRole       Kind = "role"
	KindFree       Kind = "free"
	KindDisposable Kind = "disposable"
	KindRelay      Kind = "relay"
	KindSpamTrap   Kind = "spamtrap"
	KindAllow      Kind = "allow"
)

// Confidence is how reliable an entry is.
type Confidence = rcpt.Confidence

// The degrees of confidence. Entries of users' lists have none but in a
// spamtrap list: they are Strong there.
const (
	ConfidenceCurated Confidence = "curated" // kept by hand, or seen at work by a source that looks
	ConfidenceBulk    Confidence = "bulk"    // collected by machines, not reviewed one by one
	ConfidenceStrong  Confidence = "strong"  // a spam trap: never to be contacted
	ConfidenceWeak    Confidence = "weak"    // a hint of a spam trap, and no more
)

// freeSubdomain is the group of disposable entries under which strangers
// register names of their own, such as eu.org: such an entry matches only
// itself.
const freeSubdomain = "free_subdomain"

// Match is one entry that an address matched.
type Match = rcpt.Match

// Lists holds an edition of the lists and the user's additions. The zero Lists
// has no entries. It is safe for concurrent use.
type Lists struct {
	sets      []set // the user's first, in the order given; the edition last
	edition   *Bundle
	suggester func() *suggest.Suggester
}

// Addition is a user's list: one entry a line, "#" begins a comment.
//
// Entries are domains (example.com), local-parts (info@), addresses
// (info@example.com), mail exchangers (mx:example.com) and, so that a list of
// traps need not show them, the SHA-1 or SHA-256 of an address in lower case,
// in hexadecimal. Role takes local-parts, with or without the @, and addresses;
// Free takes domains; Disposable takes domains and mail exchangers; SpamTrap
// takes all; Allow takes all but mail exchangers and digests.
type Addition struct {
	Kind Kind
	Name string // shown as the source of its entries, and in errors
	From io.Reader
	// Skip is called with the error of each line that cannot be an entry, and
	// the line is left out. It names the addition, the line and what is wrong.
	// Without Skip, one such line is an error of New, and no list is made. An
	// error of From is always one.
	Skip func(error)

	domains []string // instead of From
}

// Domains returns an addition of domains, which are Unicode or A-labels in any
// case. Blank ones and comments are left out, as in a file; anything else that
// is no domain is an error of [New] unless Skip is set. In errors the line is
// the place among the domains, from 1.
func Domains(kind Kind, name string, domains ...string) Addition {
	return Addition{Kind: kind, Name: name, domains: append([]string{}, domains...)}
}

// Default returns the embedded edition without additions. All calls return the
// same Lists.
func Default() *Lists { return defaultLists() }

var defaultLists = sync.OnceValue(func() *Lists {
	l, err := New()
	if err != nil {
		panic("the embedded lists are damaged: " + err.Error())
	}
	return l
})

// New returns the embedded edition with additions. For an invalid entry the
// error names the addition and the line. Without additions, use [Default].
func New(additions ...Addition) (*Lists, error) {
	embedded, err := Embedded()
	if err != nil {
		return nil, err
	}
	return embedded.New(additions...)
}

var errNoEdition = errors.New("lists: a Bundle is made by Embedded or ReadBundle")

// New returns the edition with additions, as the function New does for the
// embedded one.
func (b *Bundle) New(additions ...Addition) (*Lists, error) {
	if b.bundle == nil {
		return nil, errNoEdition
	}
	l := &Lists{edition: b}
	for _, a := range additions {
		s, err := a.read()
		if err != nil {
			return nil, err
		}
		l.sets = append(l.sets, s)
	}
	l.sets = append(l.sets, b.set())
	l.suggester = sync.OnceValue(l.newSuggester)
	return l, nil
}
