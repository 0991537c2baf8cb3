// Package rcpt tells whether an email address can receive mail, and why.
//
// It is the first page of the module: a few names of package [engine], which
// does the work, and has everything else. A program that verifies an address:
//
//	verifier, err := rcpt.New(rcpt.Config{HELO: "verifier.example.com"})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer verifier.Close()
//
//	result, err := verifier.Verify(context.Background(), "postmaster@example.com")
//	if err != nil {
//		log.Fatal(err) // the verification could not be carried out
//	}
//	fmt.Println(result.Verdict, result.Reason, result.Message)
//
// The engine checks the syntax, finds the mail hosts of the domain in the DNS,
// and asks them about the mailbox, up to RCPT: no message is ever sent. It
// needs TCP port 25 out, a SOCKS5 proxy, or a lower [engine.Level]. The verdict
// is [VerdictUndeliverable] only if a reply names the mailbox, or the DNS or
// the grammar proves it. If a host blocks, throttles or greylists the client,
// it is [VerdictUnknown], with the reason.
//
// # Packages
//
//   - [engine]: the Verifier, evidence, verdicts and reasons.
//   - [github.com/rcpt/rcpt/engine/enginetest]: fake domains and mail hosts,
//     for tests without a network.
//   - [github.com/rcpt/rcpt/engine/address]: the grammar of addresses.
//   - [github.com/rcpt/rcpt/lists]: roles, free and disposable domains, spam
//     traps, mistyped domains.
//   - [github.com/rcpt/rcpt/bulk]: lists of any size.
//   - [github.com/rcpt/rcpt/dnsresolve] and [github.com/rcpt/rcpt/smtpprobe]:
//     mail hosts of a domain, and what they say about a mailbox.
//   - [github.com/rcpt/rcpt/server/client]: a client of the HTTP service.
//
// docs/embedding.md in the repository is a guide for programs that embed the
// engine; STABILITY.md says what versions promise.
package rcpt

import "github.com/rcpt/rcpt/engine"

// The names that most programs need.
type (
	// Verifier verifies addresses. It is safe for concurrent use; one is
	// enough for a program.
	Verifier = engine.Verifier
	// Config configures a Verifier. The zero value is ready to use.
	Config = engine.Config
	// Result is the answer about one address.
	Result = engine.Result
	// Verdict is the answer to "can this address receive mail?".
	Verdict = engine.Verdict
)

// The verdicts.
const (
	VerdictDeliverable   = engine.VerdictDeliverable
	VerdictUndeliverable = engine.VerdictUndeliverable
	VerdictAcceptAll     = engine.VerdictAcceptAll
	VerdictUnknown       = engine.VerdictUnknown
)

// New returns a Verifier, like [engine.New]. Close it when done.
func New(config Config) (*Verifier, error) { return engine.New(config) }
