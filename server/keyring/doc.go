// Package keyring knows who may use the service, and how much.
//
// A [Keyring] holds every API key in memory, as the SHA-256 of its text, and is
// kept current from the store: what is changed on one node is known on the
// others within a second, and a key that is revoked through the Keyring is
// refused by it at once. [Keyring.Admit] is one look-up in a map, and asks the
// store for nothing unless a block of the monthly quota has to be reserved.
//
// # Limits
//
// Rate and concurrency are counted by each node for itself: behind a balancer,
// several nodes let a key have as many times of them. The quota is one for all
// nodes: each reserves blocks of about a second of the key's present traffic,
// so that the sum never exceeds the quota and a process that is killed loses
// its key at most one block. While the store cannot be reached a key goes on
// with the block that it has; then its requests are [ErrUnavailable].
//
// # Secrets
//
// What a caller shows is hashed and looked up by its hash. The time of the
// look-up depends on the hash alone, from which nobody can tell a key. A key
// that is unknown, revoked or over is the same [ErrUnauthorized]; only callers
// that show a good key learn that it is not good for this ([ErrScope]) or from
// there ([ErrNetwork]).
package keyring
