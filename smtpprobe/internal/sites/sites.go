// Package sites divides mail hosts among egresses.
package sites

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"net/netip"
)

// The prefix of a site: hosts beside each other belong to one operator.
const (
	bits4 = 24
	bits6 = 48
)

// Of returns the site of a mail host.
func Of(addr netip.Addr) netip.Prefix {
	bits := bits6
	if addr = addr.Unmap(); addr.Is4() {
		bits = bits4
	}
	site, _ := addr.Prefix(bits) // the zero Prefix for no address at all, which nobody dials
	return site
}

// Score returns how well an egress with a key and a weight suits an address.
// The one with the highest score is chosen. Scores are positive, and an egress
// with the weight 2 has the highest one twice as often as one with the weight
// 1.
func Score(addr netip.Addr, key string, weight int) float64 {
	sum := sha256.Sum256([]byte(Of(addr).Addr().String() + " " + key))
	share := (float64(binary.BigEndian.Uint64(sum[:])>>11) + 0.5) / (1 << 53) // between 0 and 1
	return float64(max(1, weight)) / -math.Log(share)
}
