// Package smtpprobe asks the mail hosts of a domain whether they take mail for a mailbox, and says what they answered.
//
// A [Prober] connects to the hosts in the given order and speaks SMTP up to RCPT: greeting, EHLO (HELO where that is refused), STARTTLS
// where offered, MAIL, RCPT for the mailbox in question, RCPT for a random one beside it (in a transaction of its own where the host takes one
// recipient at a time), QUIT. It never sends DATA or BDAT, so nothing can be
// delivered. What it returns are facts, [Findings]: replies, failures and a transcript, without a verdict.
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
