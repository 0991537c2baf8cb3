// Package smtp holds the facts of an SMTP session that other packages share:
// replies and their parser, the phases of a session, the ways in which a
// session fails, and the lines of a transcript. It also makes text from the
// network fit to be shown and stored.
//
// It opens no connection and judges nothing: the dialogue is in package
// smtpprobe, what a reply proves is decided by package replies.
//
// It follows RFC 5321 §4.2 (replies), RFC 2034 and RFC 3463 (enhanced status
// codes).
package smtp
