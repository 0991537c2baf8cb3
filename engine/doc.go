// Package engine tells whether an e-mail address can receive mail, and proves it.
//
// A [Verifier] gathers facts and then judges them. [Verifier.Gather] parses the address (RFC 5321 §4.1.2, RFC 6531), matches it
// against the lists, finds the domain's mail exchangers (RFC 5321 §5.1, RFC 7505) and asks them, up to RCPT and never further, about
// the mailbox and about a random one beside it. What came of it is an [Evidence]: plain data that can be stored. [Decide] is a pure
// function from evidence to a [Result]; it knows no clock and no network, so a stored evidence can be judged again.
// [Verifier.VerifyTogether] does both for several addresses of one domain, and finds out once what concerns the domain.
//
// The verdict "undeliverable" is given only on a reply that names the mailbox or on a fact proven by the DNS or the grammar. A
// refusal that is about the one who asks (a block list, a policy, a rate) is [Unknown], with the reason.
//
// What it does not promise: a mail host that accepts a recipient may still bounce or discard the message later, and nobody can see
// from outside whether a person reads the mailbox.
package engine
