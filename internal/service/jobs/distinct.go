package jobs

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// distinct counts different texts, about (linear counting): it is exact for
// some hundred, and within a thousandth for a million.
type distinct struct {
	bits []uint64
	seed maphash.Seed
}

const distinctBits = 1 << 24

func (d *distinct) add(text string) {
	if d.bits == nil {
		d.bits, d.seed = make([]uint64, distinctBits/64), maphash.MakeSeed()
	}
	at := maphash.String(d.seed, text) % distinctBits
	d.bits[at/64] |= 1 << (at % 64)
}

func (d *distinct) count() int64 {
	set := 0
	for _, word := range d.bits {
		set += bits.OnesCount64(word)
	}
	if set == distinctBits {
		return distinctBits
	}
	return int64(math.Round(-distinctBits * math.Log1p(-float64(set)/distinctBits)))
}
