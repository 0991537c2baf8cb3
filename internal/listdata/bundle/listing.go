package bundle

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// Listing is what a list says of a name. Many names share one.
type Listing struct {
	List       string
	Confidence string
	Group      string // within the list: of a role, a free provider's family, a relay's service
	Source     string
}

// Listings numbers listings. In their string, integers little-endian: the
// number of listings (4 bytes), the start of each and the end of the last in
// the text (4 bytes each), the text: the four fields between tabs.
type Listings struct {
	starts string
	text   string
}

const wordBytes = 4

func openListings(data string) (Listings, error) {
	if len(data) < 2*wordBytes {
		return Listings{}, errors.New("listings are cut off")
	}
	head := wordBytes * (2 + uint64(word(data, 0)))
	if head > uint64(len(data)) {
		return Listings{}, errors.New("listings are cut off")
	}
	return Listings{starts: data[wordBytes:head], text: data[head:]}, nil
}

// At returns a listing. Its fields are parts of the string: nothing is copied.
func (l Listings) At(i uint16) Listing {
	at := int(i) * wordBytes
	text := l.text[word(l.starts, at):word(l.starts, at+wordBytes)]
	var s Listing
	s.List, text, _ = strings.Cut(text, "\t")
	s.Confidence, text, _ = strings.Cut(text, "\t")
	s.Group, s.Source, _ = strings.Cut(text, "\t")
	return s
}

func (l Listings) has(i uint16) bool { return (int(i)+2)*wordBytes <= len(l.starts) }

func (l Listings) check() error {
	last := uint32(0)
	for i := 0; i < len(l.starts); i += wordBytes {
		start := word(l.starts, i)
		if start < last || uint64(start) > uint64(len(l.text)) {
			return errors.New("listings are out of order")
		}
		last = start
	}
	return nil
}

func word(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// Numbering gives listings their numbers.
type Numbering struct {
	numbers map[Listing]uint16
	inOrder []Listing
}

// ErrTooMany says that there are more different listings than numbers.
var ErrTooMany = errors.New("more than 65,535 different listings")

// Number returns the number of a listing. The first to come have the lowest.
func (n *Numbering) Number(l Listing) (uint16, error) {
	if i, ok := n.numbers[l]; ok {
		return i, nil
	}
	if len(n.inOrder) == math.MaxUint16 {
		return 0, ErrTooMany
	}
	if n.numbers == nil {
		n.numbers = make(map[Listing]uint16)
	}
	i := uint16(len(n.inOrder))
	n.numbers[l] = i
	n.inOrder = append(n.inOrder, l)
	return i, nil
}

// Listings returns the listings as a bundle has them.
func (n *Numbering) Listings() Listings {
	l, _ := openListings(n.build())
	return l
}

func (n *Numbering) build() string {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(n.inOrder)))
	var text []byte
	for _, l := range n.inOrder {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
		text = append(text, strings.Join([]string{l.List, l.Confidence, l.Group, l.Source}, "\t")...)
	}
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	return string(append(head, text...))
}
