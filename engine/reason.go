package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Verdict is the answer to "can this address receive mail?".
type Verdict string

// The verdicts.
const (
	Deliverable   Verdict = "deliverable"   // the mail host takes mail for this mailbox, and not for just any
	Undeliverable Verdict = "undeliverable" // proven: no such mailbox, or no way to deliver to its domain
	AcceptAll     Verdict = "accept-all"    // the mail host takes mail for every mailbox of the domain
	Unknown       Verdict = "unknown"       // not proven either way; the reason says why
)

// Reason is why a verdict was given: one word of a closed set.
type Reason string

// The reasons.
const (
	InvalidSyntax       Reason = "invalid_syntax"
	DomainNotFound      Reason = "domain_not_found"
	NoMailHost          Reason = "no_mail_host"
	NullMX              Reason = "null_mx"
	MXReservedAddress   Reason = "mx_reserved_address"
	DNSTemporary        Reason = "dns_temporary"
	ConnectionFailed    Reason = "connection_failed"
	ConnectionTimeout   Reason = "connection_timeout"
	TLSFailed           Reason = "tls_failed"
	MailboxNotFound     Reason = "mailbox_not_found"
	MailboxDisabled     Reason = "mailbox_disabled"
	MailboxMoved        Reason = "mailbox_moved"
	MailboxFull         Reason = "mailbox_full"
	NotOurDomain        Reason = "not_our_domain"
	Greylisted          Reason = "greylisted"
	RateLimited         Reason = "rate_limited"
	Blocked             Reason = "blocked"
	TemporaryFailure    Reason = "temporary_failure"
	AmbiguousRefusal    Reason = "ambiguous_refusal"
	ProtocolError       Reason = "protocol_error"
	SMTPUTF8Unsupported Reason = "smtputf8_unsupported"
	CatchAll            Reason = "catch_all"
	RecipientAccepted   Reason = "recipient_accepted"
	ControlInconclusive Reason = "control_inconclusive"
	SpamTrap            Reason = "spam_trap"
	SMTPSkipped         Reason = "smtp_skipped"
	ResolverUnreliable  Reason = "resolver_unreliable"
	PortBlocked         Reason = "port_blocked"
	EgressFailed        Reason = "egress_failed"
	InternalError       Reason = "internal_error"
)

// Reasons returns every reason, in alphabetical order.
func Reasons() []Reason { return slices.Sorted(maps.Keys(rulings)) }

// Verdict returns the verdict of the reason, or an empty one for an unknown
// reason. [MXReservedAddress] has two; this returns the usual one.
func (r Reason) Verdict() Verdict { return rulings[r].verdict }

// ruling is what follows from a reason.
type ruling struct {
	verdict Verdict
	message string
	// retryAfter is the wait after which asking again is worthwhile if the mail
	// host gives no hint; zero: it is not.
	retryAfter time.Duration
}

// How long to wait before asking again. A greylisting host wants a few minutes
// (RFC 6647 §4.5 allows one minute to a day; postgrey's default is five
// minutes). A queueing MTA retries other failures after 30 minutes (RFC 5321
// §4.5.4.1), an interactive caller sooner.
const (
	retryDNS       = time.Minute
	retryGreylist  = 5 * time.Minute
	retryTemporary = 15 * time.Minute
	retryEgress    = time.Minute // a proxy or a source address of ours is the operator's to mend
	retryNetwork   = time.Minute // the check of our own network is repeated as often while it fails
)

// rulings maps every reason to its verdict and message. Only
// [MXReservedAddress] has a second verdict: see selfRuling.
var rulings = map[Reason]ruling{
	InvalidSyntax:  {verdict: Undeliverable, message: "The address is not well-formed."},
	DomainNotFound: {verdict: Undeliverable, message: "The domain does not exist."},
	NoMailHost: {verdict: Undeliverable,
		message: "The domain has no mail host: neither MX nor address records lead anywhere."},
	NullMX: {verdict: Undeliverable, message: "The domain declares that it takes no mail (null MX)."},
	MXReservedAddress: {verdict: Unknown,
		message: "Every mail host of the domain has an address in reserved or private space, which is not contacted."},
	DNSTemporary: {verdict: Unknown, retryAfter: retryDNS,
		message: "The DNS gave no answer about the domain's mail hosts; try again later."},
	ConnectionFailed: {verdict: Unknown, retryAfter: retryTemporary,
		message: "No mail host of the domain could be reached."},
	ConnectionTimeout: {verdict: Unknown, retryAfter: retryTemporary,
		message: "The domain's mail host did not answer in time."},
	TLSFailed: {verdict: Unknown, retryAfter: retryTemporary,
		message: "The mail host offers TLS, but no TLS session could be set up with it."},
	MailboxNotFound: {verdict: Undeliverable, message: "The mail host says that the mailbox does not exist."},
	MailboxDisabled: {verdict: Undeliverable, message: "The mail host says that the mailbox is disabled."},
	MailboxMoved: {verdict: Undeliverable,
		message: "The mail host says that the mailbox has moved to another address."},
	MailboxFull: {verdict: Unknown, message: "The mailbox exists but is over its quota at the moment."},
	NotOurDomain: {verdict: Unknown,
		message: "The mail host says that it does not take mail for this domain from us."},
	Greylisted: {verdict: Unknown, retryAfter: retryGreylist,
		message: "The mail host asks every new sender to come back later (greylisting); try again."},
	RateLimited: {verdict: Unknown, retryAfter: retryTemporary,
		message: "The mail host limits how much it is asked; try again later."},
	Blocked: {verdict: Unknown,
		message: "The mail host refused us, not the mailbox: a block list, a policy or our reputation."},
	TemporaryFailure: {verdict: Unknown, retryAfter: retryTemporary,
		message: "The mail host has a temporary problem; try again later."},
	AmbiguousRefusal: {verdict: Unknown,
		message: "The mail host refused without saying whether the mailbox exists."},
	ProtocolError: {verdict: Unknown, message: "The domain's mail host does not speak proper SMTP."},
	SMTPUTF8Unsupported: {verdict: Undeliverable,

		message: "The local-part has non-ASCII characters, " +
			"and the mail host cannot take such addresses (no SMTPUTF8)."},
	CatchAll: {verdict: AcceptAll, message: "The mail host takes mail for every address of the domain."},
	RecipientAccepted: {verdict: Deliverable,
		message: "The mail host takes mail for this mailbox and refuses unknown ones."},
	ControlInconclusive: {verdict: Unknown,
		message: "The mail host accepted the address, but whether it would accept any address could not be found out."},
	SpamTrap:    {verdict: Unknown, message: "The address is listed as a spam trap and was not contacted."},
	SMTPSkipped: {verdict: Unknown, message: "All checks passed; the mail host was not contacted."},
	ResolverUnreliable: {verdict: Unknown, retryAfter: retryNetwork,
		message: "Our DNS resolver speaks against the domain, but cannot be believed at the moment. " +
			"This is a fault of our network, not of the address."},
	PortBlocked: {verdict: Unknown, retryAfter: retryNetwork,
		message: "Our network lets us reach no mail host at all (port 25 is blocked). " +
			"This is a fault of our network, not of the address."},
	EgressFailed: {verdict: Unknown, retryAfter: retryEgress,
		message: "The mail host was not asked: the proxy or source address to reach it through failed. " +
			"This is a fault on our side, not of the address."},
	InternalError: {verdict: Unknown, message: "The verification could not be carried out."},
}

// reasonOf maps what a reply proves to a reason. [replies.OK] is not in it,
// because an acceptance is judged together with the control's reply.
var reasonOf = map[replies.Class]Reason{
	replies.OKUnverified: ControlInconclusive,
	replies.NoSuchUser:   MailboxNotFound,
	replies.Disabled:     MailboxDisabled,
	replies.Moved:        MailboxMoved,
	replies.MailboxFull:  MailboxFull,
	replies.NotOurDomain: NotOurDomain,
	replies.Greylisted:   Greylisted,
	replies.RateLimited:  RateLimited,
	replies.Temporary:    TemporaryFailure,
	replies.Blocked:      Blocked,
	replies.Ambiguous:    AmbiguousRefusal,
}
