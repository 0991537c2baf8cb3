package lists

import (
	_ "embed" // the embedded edition
	"sync"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
)

// The data is a string and not a slice: it is searched in the binary's
// read-only pages and costs no heap.
//
//go:embed data/lists.bundle
var embeddedText string

var embedded = sync.OnceValues(func() (*Bundle, error) { return openBundle(embeddedText) })

// Bundle is an edition of the lists: the embedded one, or a later one from a
// file.
type Bundle struct{ bundle *bundle.Bundle }

// Embedded returns the edition in this program.
func Embedded() (*Bundle, error) { return embedded() }

// ReadBundle returns the edition in data, which must not be changed afterwards.
// It returns an error if data is damaged, or contains what no sound edition
// does, such as gmail.com among the disposable domains. The checksum in data
// detects damage, not forgery: get editions from where you get the program, or
// compare their SHA-256.
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
	return set{
		listings: b.bundle.Listings, domains: b.bundle.Domains, words: b.bundle.Words,
		addresses: b.bundle.Addresses, hosts: b.bundle.Hosts,
	}
}
