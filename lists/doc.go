// Package lists reports what is known about an address without contacting any
// server: whether its local-part names a role, whether its domain offers free
// or disposable mailboxes or forwards to other mailboxes, and whether it looks
// like a spam trap.
//
// How an address is matched:
//
//   - Role: the local-part, folded and without its "+tag", is a word of the
//     list, or such a word and a number; or its parts between ".", "-" and "_"
//     are all words of roles, qualifiers ("uk", "team") or numbers, and at
//     least one is the word of a role. A word inside a longer one is not a
//     role: marketa@ is a person. Dots are ignored for providers that ignore
//     them (Gmail).
//   - Free: the domain is an entry. A sub-domain is not matched: it may belong
//     to a customer.
//   - Disposable: the domain or a parent of it is an entry. An entry under
//     which strangers register names matches only itself, and nothing above
//     the registrable domain is considered. A mail exchanger that serves such
//     domains counts, too ([Lists.MatchHosts]), unless it serves all kinds of
//     domains.
//   - Relay: the domain or a parent of it is an entry.
//   - SpamTrap: the local-part or a part of it, the domain or a parent of it,
//     the address or its digest is an entry. A match is strong or weak; mail
//     exchangers of domain parking and domains that look like a mistyped
//     provider's are weak.
//   - Allow: the address, the local-part, the domain or a parent of it is an
//     entry. A user's entry overrides all others; an embedded one only means
//     that the domain is not disposable.
//
// [Lists.Suggest] returns the domain that was probably meant by a mistyped one.
//
// Limits: the lists are as old as their date, they lack new disposable domains,
// and working spam traps are not published. A match is a hint and not a proof,
// and never makes an address "undeliverable".
//
// An edition of the lists is a [Bundle]. One is embedded and searched in place,
// without a copy on the heap. The program in lab/lists builds it from the files
// in lab/lists/hand and from pinned packages, of which it reads only the data.
package lists

//go:generate go run -C ../lab/lists .
