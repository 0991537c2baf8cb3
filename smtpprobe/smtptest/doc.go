// Package smtptest provides fake mail hosts for tests, in the manner of
// net/http/httptest.
//
// A [Handler] plays the server's side of one connection. [Host] is a mail host
// that behaves: it has mailboxes, full and disabled ones too, can greylist,
// refuse at any phase, delay, hang, and break STARTTLS. [Script] plays a
// dialogue line by line, for cases that need exact bytes. [HostileHost]
// makes one of some ninety kinds that are broken or mean ill, each in its way.
//
// Handlers are reached in two ways. A [Network] keeps them in memory and is a
// dialer; it uses no sockets and works inside a testing/synctest bubble, where
// a tarpit of five minutes takes no time. A [Server] listens on a loopback
// address, for programs that bring their own dialer. Both keep what was said on
// every connection, see [Session].
//
// Host is github.com/emersion/go-smtp with the replies, delays and faults of
// this package around it, and follows RFC 5321, RFC 2920 (PIPELINING), RFC 3207
// (STARTTLS), RFC 2034 (enhanced status codes) and RFC 6531 (SMTPUTF8) as far
// as the recipient of a message. A message itself is read, recorded and thrown
// away. Nothing here is meant to face strangers: input is kept in memory
// without a bound.
package smtptest
