// Package rcpt has the record of a verification: what package engine, package
// screen and a client of the service return alike, so that a program changes
// from one to another by one line.
//
// # Three doors
//
// The door says what is asked, and so what a result can say:
//
//   - Package [github.com/rcpt/rcpt/screen] asks nobody: the syntax, the
//     embedded lists, the address that was probably meant. It takes
//     microseconds, and needs no network, context or Close. It never says that
//     a mailbox or a domain exists.
//   - Package [github.com/rcpt/rcpt/engine] at its LevelDNS also looks for the
//     mail hosts of the domain. It takes milliseconds, and needs a DNS
//     resolver. It never says that a mailbox exists.
//   - Package engine, as it is, asks these mail hosts about the mailbox, up to
//     RCPT: no message is ever sent. It takes seconds, and needs TCP port 25
//     out, or a SOCKS5 proxy.
//
// Each returns a [Result]: a [Verdict] of four, the [Reason] for it in one
// word, flags, and a suggestion where the address looks mistyped. The verdict
// is [VerdictUndeliverable] only if a reply names the mailbox, or the DNS or
// the grammar proves it. If a host blocks, throttles or greylists the client,
// it is [VerdictUnknown], with the reason.
//
// [Result.FormAction] says what a sign-up form does about an address, and
// [Result.Action] what to do with one of a list. Both refuse what is proven,
// and nothing that is unknown: a result whose [Reason.About] is [AboutUs] says
// nothing about the address.
//
// # Packages
//
//   - [github.com/rcpt/rcpt/screen]: the check without a network.
//   - [github.com/rcpt/rcpt/engine]: the Verifier, and the evidence of a
//     verdict.
//   - [github.com/rcpt/rcpt/engine/enginetest]: fake domains and mail hosts,
//     for tests without a network.
//   - [github.com/rcpt/rcpt/engine/address]: the grammar of addresses.
//   - [github.com/rcpt/rcpt/lists]: roles, free and disposable domains, spam
//     traps, mistyped domains.
//   - [github.com/rcpt/rcpt/bulk]: lists of any size.
//   - [github.com/rcpt/rcpt/smtpprobe/replies]: what a reply of a mail host
//     proves.
//   - [github.com/rcpt/rcpt/smtpprobe/smtptest] and
//     [github.com/rcpt/rcpt/dnsresolve/dnstest]: fakes for tests.
//   - [github.com/rcpt/rcpt/server/client]: a client of the HTTP service;
//     experimental.
//
// What may change in a minor version has a paragraph "Experimental: ..." in its
// documentation; all else is promised.
//
// docs/embedding.md in the repository is a guide for programs that embed the
// engine; STABILITY.md says what versions promise.
package rcpt

import "context"

// Verifier verifies addresses. An engine.Verifier is one, and so is a client of
// the service. It is safe for concurrent use.
type Verifier interface {
	// Verify tells whether address can receive mail. What was found out about
	// the address is a result. The error is non-nil only if the verification
	// could not be carried out; the result beside it is [VerdictUnknown], with
	// what was found until then: that of the engine has the flags at least.
	Verify(ctx context.Context, address string) (Result, error)
}
