// Package lists tells what is known about an address without asking anyone: whether its local-part names a role, whether its domain gives
// mailboxes away to everyone, or to throw away, and whether it names itself a spam trap.
//
// How an address is matched:
//
//   - Role: the local-part, in lower case and without its "+tag", is an entry. A word inside a longer local-part is not a role: marketa@ is
//     a person. The entries are the mailboxes of RFC 2142 and a published list without its junk.
//   - Free: the domain is an entry. A sub-domain is not: it may belong to a customer.
//   - Disposable: the domain or a parent of it is an entry. An entry that is a public suffix, where strangers register names, matches only
//     itself, and nothing above the registrable domain is looked at. A mail exchanger under such a domain counts too ([Lists.MatchHosts]),
//     unless it serves all kinds of domains.
//   - SpamTrap: the local-part, or a token of it between ".", "-" and "_", is an entry; in users' lists also a domain or an address.
//   - Allow: the address, the local-part, the domain or a parent of it is an entry. It wins over all others; the embedded one only says
//     what is not disposable, whoever lists it.
//
// What the lists do not promise: they are as old as their date, a new throw-away domain is on none of them, and nobody publishes spam traps
// that work. A match is a reason to look, not a proof, and no entry is a reason for an "undeliverable".
//
// The embedded lists are the files in data. The program in gen makes them out of pinned npm packages, of which it reads data and runs
// nothing, and of the files in gen/hand.
package lists

//go:generate go run ./gen
