package api

import (
	"net/netip"
	"sync"
	"time"
)

// Limits of wrong keys. A key of 256 bits cannot be guessed at any rate; the
// limits reduce the noise that guessing makes.
const (
	// wrongKeysAtOnce is the number of wrong keys that a network may send in a
	// row: a fleet of clients with a revoked key, for example.
	wrongKeysAtOnce = 100
	// wrongKeyEvery is how often it may send one more.
	wrongKeyEvery = 100 * time.Millisecond
	// maxGuessers is the number of networks that are remembered. All others are
	// treated as one.
	maxGuessers = 10_000
	// networkBits6 is the least that a customer has of IPv6 addresses (RFC 6177
	// §2).
	networkBits6 = 64
)

// wrongKeys limits the wrong keys from a network. It is used only after a key
// was found to be wrong: behind a reverse proxy all clients have one address,
// and the wrong keys of others must not block a valid key.
type wrongKeys struct {
	mu    sync.Mutex
	clear map[netip.Prefix]time.Time // when all wrong keys of a network are forgotten (the generic cell rate algorithm)
	full  time.Time                  // no search for networks to forget before this time
}

func newWrongKeys() *wrongKeys { return &wrongKeys{clear: make(map[netip.Prefix]time.Time)} }

// allow counts a wrong key from a network, and reports whether it is within the
// limit.
func (k *wrongKeys) allow(from netip.Prefix) bool {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.clear[from]; !known && !k.makeRoom(now) {
		from = netip.Prefix{}
	}
	clear := k.clear[from]
	if clear.Before(now) {
		clear = now
	}
	clear = clear.Add(wrongKeyEvery)
	if clear.Sub(now) > wrongKeysAtOnce*wrongKeyEvery {
		return false
	}
	k.clear[from] = clear
	return true
}

// makeRoom reports whether one more network can be remembered.
func (k *wrongKeys) makeRoom(now time.Time) bool {
	if len(k.clear) < maxGuessers {
		return true
	}
	if now.Before(k.full) {
		return false
	}
	for network, clear := range k.clear {
		if clear.Before(now) {
			delete(k.clear, network)
		}
	}
	k.full = now.Add(time.Second)
	return len(k.clear) < maxGuessers
}

// networkOf returns the network of a client: an IPv4 address, or the 64 bits of
// an IPv6 address that one customer has. It is invalid for a client without an
// address.
func networkOf(ip netip.Addr) netip.Prefix {
	network, err := ip.Prefix(min(ip.BitLen(), networkBits6))
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
