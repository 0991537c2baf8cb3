// Package world simulates a world of mail on loopback: a DNS server and many
// mail hosts, each on an address of its own in 127.0.0.0/8.
//
// A [Spec] says everything about a world, and every process that has it
// computes the same world from it: the list of addresses, their domains and
// mail hosts, how each mailbox behaves, and so what the right answer about it
// is ([Spec.Truth]). Behaviour goes by hashes of names; nothing is stored per
// mailbox, so that a world of a million addresses is as light as one of ten.
//
// Delay is added as a network would add it: before the greeting (twice, because
// the handshake of TCP on loopback takes no time), before each group of replies
// that the client waits for, and before each DNS answer. Whatever waits is a
// sleeping goroutine.
//
// The hosts speak SMTP up to RCPT as a client meets it (RFC 5321, RFC 2920, RFC
// 3207). They remember nothing between sessions: a greylisted mailbox stays so.
package world
