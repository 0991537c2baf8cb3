// Package verdictcache remembers what was found out about addresses, so that asking again costs a mail host nothing, and asks again by itself about
// addresses that greylisting (RFC 6647) has put off.
//
// A [Cache] stands before the engine. In front it has memory, behind that the store, which several nodes share and which outlives a restart. Both
// are keyed by the mailbox as RCPT TO names it, so that Info@Bücher.example and Info@xn--bcher-kva.example are one; each caller gets back the
// spelling that it gave. How long a result is believed is its reason's business: [engine.Result.Lasts].
//
// # What is stored
//
// What goes to the store has no address in it and nothing that quotes one: no transcript, of a suggestion only the domain, of list entries only
// those about the domain or its mail hosts, and no word of a reply in which the local-part can be read. The names of mail hosts stay, and may tell
// the domain. The row is found by a salted hash. An address in clear is stored for a re-check alone, and only until that is over.
//
// The flags (role, free, disposable, spam trap) are stored and not worked out again: they belong to the verdict, which may rest on the same lists
// (a trap is not asked about), and [Config.Basis] keeps a verdict from being recalled beside other lists than its own. What is about us rather than
// about the mailbox (a block, a rate, a connection that failed) stays in the memory of the node that it happened to.
//
// # What it does not promise
//
// It may forget anything at any time, and correctness never rests on it. When the store fails, requests are answered without it.
package verdictcache
