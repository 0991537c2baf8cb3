// Package belief decides what the replies of a transaction prove about the
// mailboxes, which of these are asked about again, which refusals need a proof,
// and what the host has shown. The rules, and the reasons for them, are in the
// package comment of smtpprobe.
//
// It is pure: a [Case] is a transaction that is over ([Outcome]: facts), with
// what its mail host had shown before ([Host]). [Case.Judge] returns a
// [Finding], and changes nothing.
package belief
