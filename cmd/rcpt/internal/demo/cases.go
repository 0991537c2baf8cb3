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
		{"alice@acme.example", engine.Deliverable, engine.RecipientAccepted, "an existing mailbox"},
		{"nobody@acme.example", engine.Undeliverable, engine.MailboxNotFound, "no such mailbox"},
		{"info@acme.example", engine.Deliverable, engine.RecipientAccepted, "a role, not a person"},
		{"alice@bücher.example", engine.Deliverable, engine.RecipientAccepted, "an internationalized domain"},
		{"retired@acme.example", engine.Undeliverable, engine.MailboxDisabled, "a disabled mailbox"},
		{"moved@acme.example", engine.Undeliverable, engine.MailboxMoved, "a mailbox that has moved"},
		{"full@acme.example", engine.Unknown, engine.MailboxFull, "a full mailbox (452)"},
		{"quota@acme.example", engine.Unknown, engine.MailboxFull, "a mailbox over its quota (552)"},
		{"trap@acme.example", engine.Unknown, engine.SpamTrap, "a known spam trap: never contacted"},

		{"who@anything.example", engine.AcceptAll, engine.CatchAll, "a domain that accepts everything"},
		{"me@throwaway.example", engine.AcceptAll, engine.CatchAll, "a throw-away service"},
		{"josé@intl.example", engine.Deliverable, engine.RecipientAccepted, "non-ASCII local-part, with SMTPUTF8"},
		{"josé@acme.example", engine.Undeliverable, engine.SMTPUTF8Unsupported,
			"the same without SMTPUTF8"},
		{"alice@intl.example", engine.Deliverable, engine.RecipientAccepted, "a free-mail provider"},
		{"alice@implicit.example", engine.Deliverable, engine.RecipientAccepted,
			"no MX: the domain's own address"},
		{"alice@backup.example", engine.Deliverable, engine.RecipientAccepted,
			"the primary is down, the backup works"},
		{"alice@slow.example", engine.Deliverable, engine.RecipientAccepted, "a tarpit: takes about three seconds"},

		{"alice@greylist.example", engine.Unknown, engine.Greylisted, "greylisting: try again later"},
		{"alice@busy.example", engine.Unknown, engine.RateLimited, "too many requests"},
		{"alice@sick.example", engine.Unknown, engine.TemporaryFailure, "a temporary failure"},
		{"alice@door.example", engine.Unknown, engine.Blocked, "refuses us at the greeting"},
		{"alice@sender.example", engine.Unknown, engine.Blocked, "refuses us at MAIL"},
		{"alice@blocklist.example", engine.Unknown, engine.Blocked, "refuses us at RCPT: a block list"},
		{"alice@relay.example", engine.Unknown, engine.NotOurDomain, "relaying denied"},
		{"alice@vague.example", engine.Unknown, engine.AmbiguousRefusal, "a refusal without a reason"},
		{"alice@undecided.example", engine.Unknown, engine.ControlInconclusive,
			"accepts; may be a catch-all"},
		{"alice@website.example", engine.Unknown, engine.ProtocolError, "speaks HTTP on the SMTP port"},
		{"alice@badtls.example", engine.Unknown, engine.TLSFailed, "wants TLS, and its TLS is broken"},
		{"alice@dead.example", engine.Unknown, engine.ConnectionFailed, "the mail host refuses connections"},
		{"alice@silent.example", engine.Unknown, engine.ConnectionTimeout,
			"no reply: takes some seconds"},

		{"alice@nomail.example", engine.Undeliverable, engine.NullMX, "the domain accepts no mail"},
		{"alice@parked.example", engine.Undeliverable, engine.NoMailHost, "neither MX nor address"},
		{"alice@nowhere.example", engine.Undeliverable, engine.DomainNotFound, "no such domain"},
		{"alice@broken.example", engine.Unknown, engine.DNSTemporary, "the DNS fails (SERVFAIL)"},
		{"alice@loopback.example", engine.Undeliverable, engine.MXReservedAddress, "the mail host is 127.0.0.1"},
		{"alice@private.example", engine.Unknown, engine.MXReservedAddress, "mail host in a private network"},
		{"alice..b@acme.example", engine.Undeliverable, engine.InvalidSyntax, "two dots in a row"},
	}
}
