package lists

import (
	_ "embed" // the embedded edition
	"fmt"
	"iter"
	"sync"

	"github.com/rcpt/rcpt/lists/internal/bundle"
	"github.com/rcpt/rcpt/lists/internal/table"
)

// A string, not a slice: the edition is then searched in the binary's read-only pages and costs no heap.
//
//go:embed data/lists.bundle
var embeddedText string

var embedded = sync.OnceValues(func() (*Bundle, error) { return openBundle(embeddedText) })

// Bundle is an edition of the lists: the embedded one, or a later one from a file.
type Bundle struct{ bundle *bundle.Bundle }

// Embedded returns the edition in this program.
func Embedded() (*Bundle, error) { return embedded() }

// ReadBundle returns the edition in data, which must not change any more. It is an error if data is damaged, or if it holds what no sound
// edition does: gmail.com among the disposable domains, say. The checksum in data keeps out damage, not a forger: take editions from where
// you take the program, or compare their SHA-256.
func ReadBundle(data []byte) (*Bundle, error) {
	b, err := openBundle(string(data))
	if err != nil {
		return nil, err
	}
	if err := b.bundle.Check(); err != nil {
		return nil, err
	}
	return b, b.checkCanaries()
}

func openBundle(text string) (*Bundle, error) {
	b, err := bundle.Open(text)
	if err != nil {
		return nil, err
	}
	return &Bundle{b}, nil
}

// Date is that of the sources, 2006-01-02.
func (b *Bundle) Date() string { return b.bundle.Date }

// SHA256 is the checksum that the edition bears, in hexadecimal.
func (b *Bundle) SHA256() string { return b.bundle.SHA256 }

func (b *Bundle) set() set {
	return set{listings: b.bundle.Listings, domains: b.bundle.Domains, words: b.bundle.Words, addresses: b.bundle.Addresses, hosts: b.bundle.Hosts}
}

// canaries are names that every edition must have, or must never have.
var canaries = []struct {
	list Kind
	name string
	want bool
}{
	{Disposable, "mailinator.com", true},
	{Disposable, "guerrillamail.com", true},
	{Disposable, "yopmail.com", true},
	{Disposable, "gmail.com", false},
	{Disposable, "outlook.com", false},
	{Disposable, "yahoo.com", false},
	{Disposable, "icloud.com", false},
	{Disposable, "google.com", false},
	{Disposable, "co.uk", false},
	{Free, "gmail.com", true},
	{Free, "google.com", false},
}

// checkCanaries refuses an edition in which something has gone badly wrong.
func (b *Bundle) checkCanaries() error {
	s := b.set()
	for _, c := range canaries {
		if got := s.lists(s.domains, c.name, c.list); got != c.want {
			return fmt.Errorf("bundle of lists is not to be trusted: %s in %s: %t, should be %t", c.name, c.list, got, c.want)
		}
	}
	if !s.words.Has("postmaster") {
		return fmt.Errorf("bundle of lists is not to be trusted: postmaster is not in role")
	}
	return nil
}

// lists reports whether a table has the name itself on the list.
func (s *set) lists(t table.Table, name string, list Kind) bool {
	hits := t.Find(name)
	for e, ok := hits.Next(); ok; e, ok = hits.Next() {
		if s.match(e).List == list {
			return true
		}
	}
	return false
}

// Entries yields the entries of a list, the user's included, in no useful order. Those of mail exchangers begin with "mx:".
func (l *Lists) Entries(list Kind) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		for i := range l.sets {
			s := &l.sets[i]
			for _, part := range [...]struct {
				table  table.Table
				prefix string
			}{{s.domains, ""}, {s.words, ""}, {s.addresses, ""}, {s.hosts, hostPrefix}} {
				for e := range part.table.All() {
					match := s.match(e)
					match.Entry = part.prefix + match.Entry
					if match.List == list && !yield(match) {
						return
					}
				}
			}
		}
	}
}
