// Package keyring decides which clients may use the service, and how much.
//
// A [Keyring] holds every API key in memory, as the SHA-256 of its text, and
// keeps up with the store: a change on one node is known on the others within a
// second, and a key that is revoked through the Keyring is refused by it at
// once. [Keyring.Admit] is one look-up in a map. It asks the store only if a
// block of the monthly quota has to be reserved.
//
// # Limits
//
// Each node counts rate and concurrency for itself: behind a load balancer,
// several nodes let a key have a multiple of them. The quota is shared by all
// nodes: each reserves blocks of about a second of the key's current traffic,
// so that the sum never exceeds the quota, and a killed process loses at most
// one block of a key. While the store cannot be reached, a key continues with
// the block that it has; then its requests fail with [ErrUnavailable].
//
// # Secrets
//
// The text that a client sends is hashed and looked up by its hash. The time of
// the look-up depends on the hash alone, which reveals nothing about keys. An
// unknown, revoked or expired key is the same [ErrUnauthorized]; only clients
// with a valid key learn that it lacks a scope ([ErrScope]) or may not be used
// from their network ([ErrNetwork]).
package keyring
