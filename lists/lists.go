package lists

import (
	"io"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// Kind names a list.
type Kind string

// The lists. Entries of Allow win over Disposable, Free, Role and SpamTrap.
const (
	Role       Kind = "role"
	Free       Kind = "free"
	Disposable Kind = "disposable"
	SpamTrap   Kind = "spamtrap"
	Allow      Kind = "allow"
)

// Match is one entry that an address matched.
type Match struct {
	List   Kind   `json:"list"`
	Entry  string `json:"entry"`  // as it stands in the list
	Source string `json:"source"` // where the entry comes from: a package and version, or a user's file
}

// Lists holds the embedded lists and the user's additions. It is safe for concurrent use.
type Lists struct {
	sets   map[Kind][]set // the user's first, in the order given
	shared listfile.Table // mail exchangers that say nothing about the domains they serve
	info   []Info
}

// Addition is a user's list: one entry a line, "#" begins a comment.
//
// Entries are domains (example.com), local-parts (info@) and addresses (info@example.com). Role takes local-parts, with or without the @, and
// addresses; Free takes domains; Disposable takes domains and, as mx:example.com, mail exchangers; SpamTrap and Allow take all three.
type Addition struct {
	Kind Kind
	Name string // shown as the source of its entries
	From io.Reader
}

// New returns the embedded lists with additions. An entry that cannot be one is an error that names the addition and the line.
func New(additions ...Addition) (*Lists, error) {
	l := &Lists{sets: make(map[Kind][]set)}
	for _, a := range additions {
		s, err := a.read()
		if err != nil {
			return nil, err
		}
		l.sets[a.Kind] = append(l.sets[a.Kind], s)
	}
	if err := l.embed(); err != nil {
		return nil, err
	}
	return l, nil
}

// Info describes an embedded list.
type Info struct {
	Kind    Kind
	Count   int
	Source  string
	License string
	Date    string
}

// Info tells what is embedded.
func (l *Lists) Info() []Info { return l.info }
