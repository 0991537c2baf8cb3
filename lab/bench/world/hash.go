package world

import "strconv"

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hash is a number that depends on all of the seed, what it is for, and the
// name.
func (s Spec) hash(purpose, name string) uint64 {
	h := uint64(fnvOffset) ^ s.Seed*fnvPrime
	for _, part := range [...]string{purpose, ":", name} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * fnvPrime
		}
	}
	return mix(h)
}

// share is hash as a number from 0 up to but not including 1.
func (s Spec) share(purpose, name string) float64 {
	return float64(s.hash(purpose, name)>>11) / (1 << 53)
}

// mix spreads what the last bytes changed over all bits (the finalizer of
// SplitMix64): names that end in counted digits need it.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// pick tells which of the consecutive shares a number falls into; len(shares)
// stands for the rest.
func pick(at float64, shares ...float64) int {
	for i, share := range shares {
		if at < share {
			return i
		}
		at -= share
	}
	return len(shares)
}

// number reads what follows prefix in name as a decimal number.
func number(prefix, name string) (int, bool) {
	if len(name) <= len(prefix) || name[:len(prefix)] != prefix {
		return 0, false
	}
	n, err := strconv.ParseUint(name[len(prefix):], 10, 31)
	return int(n), err == nil
}
