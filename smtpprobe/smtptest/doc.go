// Package smtptest provides fake mail hosts for tests, in the manner of
// net/http/httptest.
//
// A [Handler] plays the server's side of one connection. [Host] is a mail host
// that behaves, but for what its fields say: it has mailboxes, full and
// disabled ones too, can greylist, have limits, refuse at any phase, delay,
// hang, and break STARTTLS; functions choose what it says to a command, or to
// the commands that come together. [Script] plays a dialogue line by line, for
// cases that need exact bytes; the replies of a Host may have its steps in
// them. [Read] makes either of plain text, and [ReadSituations] many of them.
// [Proxy] is a SOCKS5 proxy.
//
// Handlers are reached in two ways. A [Network] keeps them in memory and is a
// dialer; it uses no sockets and works inside a testing/synctest bubble, where
// a tarpit of five minutes takes no time. A [Server] listens on a loopback
// address, for programs that bring their own dialer. Both keep what was said on
// every connection, see [Session]; a Host keeps what its clients did, see
// [Visit].
//
// A Host follows RFC 5321, RFC 2920 (PIPELINING), RFC 3207 (STARTTLS), RFC 2034
// (enhanced status codes) and RFC 6531 (SMTPUTF8) as far as the recipient of a
// message. A message itself is read, recorded and thrown away. Nothing here is
// meant to face strangers: input is kept in memory without a bound.
package smtptest
