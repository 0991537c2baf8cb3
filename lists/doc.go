// Package lists tells what is known about an address without asking anyone: whether its local-part names a role, whether its domain gives
// mailboxes away to everyone, or to throw away, or forwards to a mailbox that is kept, and whether it looks like a spam trap.
//
// How an address is matched:
//
//   - Role: the local-part, folded and without its "+tag", is a word of the list, or such a word and a number; or its parts between ".", "-"
//     and "_" are all words of roles, qualifiers ("uk", "team") or numbers, and one at least is the word of a role. A word inside a longer
//     one is no role: marketa@ is a person. Dots are left out where the provider leaves them out, at Gmail.
//   - Free: the domain is an entry. A sub-domain is not: it may belong to a customer.
//   - Disposable: the domain or a parent of it is an entry. An entry under which strangers register names matches only itself
//     ([FreeSubdomain]), and nothing above the registrable domain is looked at. A mail exchanger that serves such domains counts too
//     ([Lists.MatchHosts]), unless it serves all kinds of domains.
//   - Relay: the domain or a parent of it is an entry.
//   - SpamTrap: the local-part or a part of it is an entry, the domain or a parent of it, the address, or its digest. A match is strong or
//     weak; mail exchangers of domain parking and domains that look like a mistyped provider's are weak.
//   - Allow: the address, the local-part, the domain or a parent of it is an entry. A user's wins over all others; the embedded one only says
//     what is not disposable.
//
// [Lists.Suggest] tells what a mistyped domain was probably meant to be.
//
// What the lists do not promise: they are as old as their date, a new throw-away domain is on none of them, and nobody publishes spam traps
// that work. A match is a reason to look, not a proof, and no entry is a reason for an "undeliverable".
//
// An edition of the lists is a [Bundle]; one is embedded, and searched where it lies, without a copy on the heap. The program in gen makes it
// out of pinned packages, of which it reads data and runs nothing, and of the files in gen/hand.
package lists

//go:generate go run ./gen
