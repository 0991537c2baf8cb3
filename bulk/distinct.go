package bulk

import (
	"hash/maphash"

	"github.com/rcpt/rcpt"
)

// distinct knows addresses that were counted: the first by their hash, so that
// a short list does not touch the memory for a long one, and four bits of a
// field for each other (B. H. Bloom, 1970). Of a million addresses it takes a
// few for others; of some thousand, none.
type distinct struct {
	first map[uint64]bool
	bits  []uint64 // nil: there are no others
	seed  maphash.Seed
}

const (
	firstDistinct = 1 << 14
	distinctBits  = 1 << 26
	bitsEach      = 4
)

// add reports whether the address of a result was not added before. Several
// spellings of a domain are one address.
func (d *distinct) add(r rcpt.Result) bool {
	if d.first == nil {
		d.first, d.seed = make(map[uint64]bool), maphash.MakeSeed()
	}
	text := r.Email
	if r.Domain != "" {
		text = r.Local + "@" + r.Domain
	}
	hash := maphash.String(d.seed, text)
	switch {
	case d.first[hash]:
		return false
	case len(d.first) < firstDistinct:
		d.first[hash] = true
		return true
	case d.bits == nil:
		d.bits = make([]uint64, distinctBits/64)
	}
	fresh := false
	for i := range uint64(bitsEach) {
		at := (hash + i*(hash>>32|1)) % distinctBits
		fresh = fresh || d.bits[at/64]&(1<<(at%64)) == 0
		d.bits[at/64] |= 1 << (at % 64)
	}
	return fresh
}

// holdsAddress reports whether a result is about one address, and not about a
// text with several or none.
func holdsAddress(r rcpt.Result) bool {
	switch r.Reason {
	case rcpt.ReasonSeveralAddresses, rcpt.ReasonNoAddress, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow:
		return false
	}
	return true
}
