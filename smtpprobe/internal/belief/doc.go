// Package belief decides what the replies of a transaction prove about the
// mailboxes, which of these are asked about again, and which refusals need a
// proof. The rules, and the reasons for them, are in the package comment of
// smtpprobe.
//
// It is pure: a case is a transaction that is over, with what its mail host had
// shown before, and has one fate for each target. Nothing in a case is changed.
package belief
