// Package verdictcache remembers results, so that asking again about an address
// costs its mail host nothing, and re-checks addresses that were greylisted
// (RFC 6647).
//
// A [Cache] stands before the engine. It has a memory and, behind that, the
// store, which several nodes share and which outlives a restart. Both are keyed
// by the mailbox as RCPT TO names it, so that Info@Bücher.example and
// Info@xn--bcher-kva.example are one; each caller gets back its own spelling.
// An irregular address is keyed by itself: its result says what is irregular.
// How long a result is reused depends on its reason: [rcpt.Result.Lasts].
//
// # What is stored
//
// The store gets no address and nothing that quotes one: no transcript, only
// the domain of a suggestion, only list entries about the domain or its mail
// hosts, and no word of a reply in which the local-part can be read. The names
// of mail hosts stay and may reveal the domain. A row is found by a salted
// hash. An address in clear is stored for a re-check only, and only until that
// is over.
//
// The flags (role, free, disposable, spam trap) are stored and not computed
// again: the verdict may depend on the same lists (a trap is not contacted),
// and [Config.Fingerprint] prevents the use of a verdict with other lists.
// Results about the client rather than the mailbox (a block, a rate, a failed
// connection) stay in the memory of their node.
//
// # Limits
//
// The cache may drop anything at any time, and correctness never depends on it.
// If the store fails, requests are answered without it.
package verdictcache
