// Package mailboxkey identifies the addresses of a list in little memory.
package mailboxkey

import "crypto/sha256"

// Key identifies an address: 128 bits of a cryptographic digest, so that two
// addresses never share one. The zero Key is that of no address.
type Key [16]byte

// Of returns the key of a mailbox, in the form of Mailbox in engine/address.
func Of(mailbox string) Key {
	digest := sha256.Sum256([]byte(mailbox))
	return Key(digest[:len(Key{})])
}
