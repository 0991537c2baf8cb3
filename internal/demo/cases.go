package demo

import "github.com/rcpt/rcpt/engine"

// Case is an address to try and its expected result.
type Case struct {
	Address string
	Verdict engine.Verdict
	Reason  engine.Reason
	About   string
}

// Cases returns the addresses of the World, in the order in which they are
// shown.
func Cases() []Case {
	return []Case{
		{"alice@acme.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted, "an existing mailbox"},
		{"nobody@acme.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound, "no such mailbox"},
		{"info@acme.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted, "a role, not a person"},
		{"alice@bücher.example", engine.VerdictDeliverable,
			engine.ReasonRecipientAccepted, "an internationalized domain"},
		{"retired@acme.example", engine.VerdictUndeliverable, engine.ReasonMailboxDisabled, "a disabled mailbox"},
		{"moved@acme.example", engine.VerdictUndeliverable, engine.ReasonMailboxMoved, "a mailbox that has moved"},
		{"full@acme.example", engine.VerdictUnknown, engine.ReasonMailboxFull, "a full mailbox (452)"},
		{"quota@acme.example", engine.VerdictUnknown, engine.ReasonMailboxFull, "a mailbox over its quota (552)"},
		{"trap@acme.example", engine.VerdictUnknown, engine.ReasonSpamTrap, "a known spam trap: never contacted"},

		{"who@anything.example", engine.VerdictAcceptAll, engine.ReasonCatchAll, "a domain that accepts everything"},
		{"me@throwaway.example", engine.VerdictAcceptAll, engine.ReasonCatchAll, "a throw-away service"},
		{"josé@intl.example", engine.VerdictDeliverable,
			engine.ReasonRecipientAccepted, "non-ASCII local-part, with SMTPUTF8"},
		{"josé@acme.example", engine.VerdictUndeliverable, engine.ReasonSMTPUTF8Unsupported,
			"the same without SMTPUTF8"},
		{"alice@intl.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted, "a free-mail provider"},
		{"alice@implicit.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted,
			"no MX: the domain's own address"},
		{"alice@backup.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted,
			"the primary is down, the backup works"},
		{"alice@slow.example", engine.VerdictDeliverable,
			engine.ReasonRecipientAccepted, "a tarpit: takes about three seconds"},

		{"alice@greylist.example", engine.VerdictUnknown, engine.ReasonGreylisted, "greylisting: try again later"},
		{"alice@busy.example", engine.VerdictUnknown, engine.ReasonRateLimited, "too many requests"},
		{"alice@sick.example", engine.VerdictUnknown, engine.ReasonTemporaryFailure, "a temporary failure"},
		{"alice@door.example", engine.VerdictUnknown, engine.ReasonBlocked, "refuses us at the greeting"},
		{"alice@sender.example", engine.VerdictUnknown, engine.ReasonBlocked, "refuses us at MAIL"},
		{"alice@blocklist.example", engine.VerdictUnknown, engine.ReasonBlocked, "refuses us at RCPT: a block list"},
		{"alice@relay.example", engine.VerdictUnknown, engine.ReasonNotOurDomain, "relaying denied"},
		{"alice@vague.example", engine.VerdictUnknown, engine.ReasonAmbiguousRefusal, "a refusal without a reason"},
		{"alice@undecided.example", engine.VerdictUnknown, engine.ReasonControlInconclusive,
			"accepts; may be a catch-all"},
		{"alice@website.example", engine.VerdictUnknown, engine.ReasonProtocolError, "speaks HTTP on the SMTP port"},
		{"alice@badtls.example", engine.VerdictUnknown, engine.ReasonTLSFailed, "wants TLS, and its TLS is broken"},
		{"alice@dead.example", engine.VerdictUnknown,
			engine.ReasonConnectionFailed, "the mail host refuses connections"},
		{"alice@silent.example", engine.VerdictUnknown, engine.ReasonConnectionTimeout,
			"no reply: takes some seconds"},

		{"alice@nomail.example", engine.VerdictUndeliverable, engine.ReasonNullMX, "the domain accepts no mail"},
		{"alice@parked.example", engine.VerdictUndeliverable, engine.ReasonNoMailHost, "neither MX nor address"},
		{"alice@nowhere.example", engine.VerdictUndeliverable, engine.ReasonDomainNotFound, "no such domain"},
		{"alice@broken.example", engine.VerdictUnknown, engine.ReasonDNSTemporary, "the DNS fails (SERVFAIL)"},
		{"alice@loopback.example", engine.VerdictUndeliverable,
			engine.ReasonMXReservedAddress, "the mail host is 127.0.0.1"},
		{"alice@private.example", engine.VerdictUnknown,
			engine.ReasonMXReservedAddress, "mail host in a private network"},
		{"alice..b@acme.example", engine.VerdictUndeliverable, engine.ReasonInvalidSyntax, "two dots in a row"},
	}
}
