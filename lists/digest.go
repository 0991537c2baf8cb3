package lists

import (
	"crypto/sha1" // lists of traps are exchanged as such digests; nothing is secured by them
	"crypto/sha256"
	"encoding/hex"
)

// digests says which digests of addresses a user's list has.
type digests struct{ sha1, sha256 bool }

func (d digests) any() bool { return d.sha1 || d.sha256 }

// digestOf returns an entry that is a SHA-1 or SHA-256 in hexadecimal as a
// digest.
func digestOf(text string) digests {
	if _, err := hex.DecodeString(text); err != nil {
		return digests{}
	}
	return digests{sha1: len(text) == 2*sha1.Size, sha256: len(text) == 2*sha256.Size}
}

// matchDigests looks for the address as a list has it that shows none.
func (s *set) matchDigests(f *findings, m *mailbox) {
	for _, local := range m.spellings() {
		address := []byte(fold(local) + "@" + m.domain)
		if s.digests.sha1 {
			sum := sha1.Sum(address)
			s.addAll(f, s.addresses.Find(hex.EncodeToString(sum[:])))
		}
		if s.digests.sha256 {
			sum := sha256.Sum256(address)
			s.addAll(f, s.addresses.Find(hex.EncodeToString(sum[:])))
		}
	}
}
