package bulk

import (
	"hash/maphash"

	"github.com/rcpt/rcpt"
)

// distinct knows addresses that were counted: four bits of a field for each (B.
// H. Bloom, 1970). Of a million addresses it takes a few for others; of some
// thousand, none.
type distinct struct {
	bits []uint64
	seed maphash.Seed
}

const (
	distinctBits = 1 << 26
	bitsEach     = 4
)

// add reports whether the address of a result was not added before. Several
// spellings of a domain are one address.
func (d *distinct) add(r rcpt.Result) bool {
	if d.bits == nil {
		d.bits, d.seed = make([]uint64, distinctBits/64), maphash.MakeSeed()
	}
	text := r.Email
	if r.Domain != "" {
		text = r.Local + "@" + r.Domain
	}
	hash := maphash.String(d.seed, text)
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
