// Package wire is one SMTP connection to a mail host: dialling, the greeting,
// EHLO, STARTTLS, commands and their replies, QUIT. It knows nothing of what
// the replies are for: which connection is opened when, what is asked over it
// and what is believed of the answers is up to package smtpprobe.
//
// A [Conn] follows RFC 5321 (SMTP), RFC 2920 (PIPELINING), RFC 3207 (STARTTLS)
// and RFC 7435 (opportunistic TLS). Every wait has a deadline, every read is
// bounded in line length, lines and bytes (limits.go), and all that is said is
// written down in a transcript. An error is a [smtp.Failure], [ErrRefused]
// where the last reply says why, or that of a dialer that lacked a file
// descriptor or memory ([OutOfResources]).
package wire
