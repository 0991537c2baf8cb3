// Package smtpprobe asks the mail hosts of a domain whether they take mail for a mailbox, and says what they answered.
//
// A [Prober] connects to the hosts in the given order and speaks SMTP up to RCPT: greeting, EHLO (HELO where that is refused), STARTTLS
// where offered, MAIL, RCPT for the mailbox in question, RCPT for a random one beside it (in a transaction of its own where the host takes one
// recipient at a time), QUIT. It never sends DATA or BDAT, so nothing can be delivered. What it returns are facts, [Findings]: replies, failures
// and a transcript, without a verdict. What kept us from asking is no fact about the host, and an error: a caller that gave up, too many
// sessions ([ErrBusy]), no file descriptor left.
//
// The next host is asked only where one cannot be reached, refuses for the moment before RCPT or lacks SMTPUTF8 for a target that needs it; no
// address is asked twice but for a second try in plain text after TLS has failed. The sessions open to one address, and those who wait for
// one, are limited, and the wait is not taken from the time of the probe ([Request]).
//
// It follows RFC 5321 (SMTP), RFC 2034 and RFC 3463 (enhanced status codes), RFC 2920 (PIPELINING), RFC 3207 (STARTTLS), RFC 7435 (opportunistic
// security) and RFC 6531 (SMTPUTF8).
//
// Mail hosts are chosen by strangers and nothing they send is trusted: every read is bounded in time, line length, lines and bytes, text is
// cleaned to printable UTF-8, and a session whose replies are out of step says nothing about the mailbox.
//
// The package does not promise who answered: it does not verify certificates (DANE and MTA-STS are not read), and it dials whatever addresses
// it is given; refusing reserved ones is up to the caller. It resolves no names, keeps no session for a second probe, and remembers nothing
// between probes.
package smtpprobe
