// Package engine tells whether an e-mail address can receive mail, with the
// evidence.
//
// A [Verifier] gathers facts and then judges them. [Verifier.Gather] parses the
// address (RFC 5321 §4.1.2, RFC 6531), matches it against the lists, finds the
// domain's mail exchangers (RFC 5321 §5.1, RFC 7505), and asks them about the
// mailbox and about a random one, up to RCPT and never further. The outcome is
// an [Evidence]: plain data that can be stored. [Decide] is a pure function
// from evidence to a [rcpt.Result], without a clock or network, so stored
// evidence can be judged again. [Verifier.VerifyGroup] does both for several
// addresses of one domain and finds out once what concerns the domain.
//
// The verdict "undeliverable" requires a reply that names the mailbox, or a
// fact proven by the DNS or the grammar. A refusal that concerns the client (a
// block list, a policy, a rate) is [rcpt.VerdictUnknown], with the reason.
//
// Limits: a mail host that accepts a recipient may still bounce or discard the
// message later, and whether a person reads the mailbox cannot be seen from
// outside.
package engine
