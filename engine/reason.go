package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Verdict is the answer to "can this address receive mail?".
type Verdict string

// The verdicts.
const (
	VerdictDeliverable   Verdict = "deliverable"   // the mail host takes mail for this mailbox, and not for just any
	VerdictUndeliverable Verdict = "undeliverable" // proven: no such mailbox, or no way to deliver to its domain
	VerdictAcceptAll     Verdict = "accept-all"    // the mail host takes mail for every mailbox of the domain
	VerdictUnknown       Verdict = "unknown"       // not proven either way; the reason says why
)

// Reason is why a verdict was given: one word of a closed set.
type Reason string

// The reasons.
const (
	ReasonInvalidSyntax       Reason = "invalid_syntax"
	ReasonDomainNotFound      Reason = "domain_not_found"
	ReasonNoMailHost          Reason = "no_mail_host"
	ReasonNullMX              Reason = "null_mx"
	ReasonMXReservedAddress   Reason = "mx_reserved_address"
	ReasonDNSTemporary        Reason = "dns_temporary"
	ReasonConnectionFailed    Reason = "connection_failed"
	ReasonConnectionTimeout   Reason = "connection_timeout"
	ReasonTLSFailed           Reason = "tls_failed"
	ReasonMailboxNotFound     Reason = "mailbox_not_found"
	ReasonMailboxDisabled     Reason = "mailbox_disabled"
	ReasonMailboxMoved        Reason = "mailbox_moved"
	ReasonMailboxFull         Reason = "mailbox_full"
	ReasonNotOurDomain        Reason = "not_our_domain"
	ReasonGreylisted          Reason = "greylisted"
	ReasonRateLimited         Reason = "rate_limited"
	ReasonBlocked             Reason = "blocked"
	ReasonRestricted          Reason = "restricted"
	ReasonTemporaryFailure    Reason = "temporary_failure"
	ReasonAmbiguousRefusal    Reason = "ambiguous_refusal"
	ReasonProtocolError       Reason = "protocol_error"
	ReasonSMTPUTF8Unsupported Reason = "smtputf8_unsupported"
	ReasonCatchAll            Reason = "catch_all"
	ReasonRecipientAccepted   Reason = "recipient_accepted"
	ReasonControlInconclusive Reason = "control_inconclusive"
	ReasonSpamTrap            Reason = "spam_trap"
	ReasonSMTPSkipped         Reason = "smtp_skipped"
	ReasonNotAsked            Reason = "not_asked"
	ReasonResolverUnreliable  Reason = "resolver_unreliable"
	ReasonPortBlocked         Reason = "port_blocked"
	ReasonEgressFailed        Reason = "egress_failed"
	ReasonInternalError       Reason = "internal_error"
)

// Reasons returns every reason, in alphabetical order.
func Reasons() []Reason { return slices.Sorted(maps.Keys(rulings)) }

// Verdict returns the verdict of the reason, or an empty one for an unknown
// reason. [ReasonMXReservedAddress] has two; this returns the usual one.
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
	retryDeferred  = time.Hour   // a 4yz reply for a reason that does not pass by itself in minutes
	retryNetwork   = time.Minute // the check of our own network is repeated as often while it fails
)

// rulings maps every reason to its verdict and message. Only
// [ReasonMXReservedAddress] has a second verdict: see selfRuling.
var rulings = map[Reason]ruling{
	ReasonInvalidSyntax:  {verdict: VerdictUndeliverable, message: "The address is not well-formed."},
	ReasonDomainNotFound: {verdict: VerdictUndeliverable, message: "The domain does not exist."},
	ReasonNoMailHost: {verdict: VerdictUndeliverable,
		message: "The domain has no mail host: neither MX nor address records lead anywhere."},
	ReasonNullMX: {verdict: VerdictUndeliverable, message: "The domain declares that it takes no mail (null MX)."},
	ReasonMXReservedAddress: {verdict: VerdictUnknown,
		message: "Every mail host of the domain has an address in reserved or private space, which is not contacted."},
	ReasonDNSTemporary: {verdict: VerdictUnknown, retryAfter: retryDNS,
		message: "The DNS gave no answer about the domain's mail hosts; try again later."},
	ReasonConnectionFailed: {verdict: VerdictUnknown, retryAfter: retryTemporary,
		message: "No mail host of the domain could be reached."},
	ReasonConnectionTimeout: {verdict: VerdictUnknown, retryAfter: retryTemporary,
		message: "The domain's mail host did not answer in time."},
	ReasonTLSFailed: {verdict: VerdictUnknown, retryAfter: retryTemporary,
		message: "The mail host offers TLS, but no TLS session could be set up with it."},
	ReasonMailboxNotFound: {verdict: VerdictUndeliverable,
		message: "The mail host says that the mailbox does not exist."},
	ReasonMailboxDisabled: {verdict: VerdictUndeliverable, message: "The mail host says that the mailbox is disabled."},
	ReasonMailboxMoved: {verdict: VerdictUndeliverable,
		message: "The mail host says that the mailbox has moved to another address."},
	ReasonMailboxFull: {verdict: VerdictUnknown, message: "The mailbox exists but is over its quota at the moment."},
	ReasonNotOurDomain: {verdict: VerdictUnknown,
		message: "The mail host says that it does not take mail for this domain from us."},
	ReasonGreylisted: {verdict: VerdictUnknown, retryAfter: retryGreylist,
		message: "The mail host asks every new sender to come back later (greylisting); try again."},
	ReasonRateLimited: {verdict: VerdictUnknown, retryAfter: retryTemporary,
		message: "The mail host limits how much it is asked; try again later."},
	ReasonBlocked: {verdict: VerdictUnknown,
		message: "The mail host refused us, not the mailbox: a block list, a policy or our reputation."},
	ReasonRestricted: {verdict: VerdictUnknown,
		message: "The mailbox or list takes mail from certain senders only."},
	ReasonTemporaryFailure: {verdict: VerdictUnknown, retryAfter: retryTemporary,
		message: "The mail host has a temporary problem; try again later."},
	ReasonAmbiguousRefusal: {verdict: VerdictUnknown,
		message: "The mail host refused without saying whether the mailbox exists."},
	ReasonProtocolError: {verdict: VerdictUnknown, message: "The domain's mail host does not speak proper SMTP."},
	ReasonSMTPUTF8Unsupported: {verdict: VerdictUndeliverable,
		message: "The local-part has non-ASCII characters, " +
			"and the mail host cannot take such addresses (no SMTPUTF8)."},
	ReasonCatchAll: {verdict: VerdictAcceptAll, message: "The mail host takes mail for every address of the domain."},
	ReasonRecipientAccepted: {verdict: VerdictDeliverable,
		message: "The mail host takes mail for this mailbox and refuses unknown ones."},
	ReasonControlInconclusive: {verdict: VerdictUnknown,
		message: "The mail host accepted the address, but whether it would accept any address could not be found out."},
	ReasonSpamTrap: {verdict: VerdictUnknown,
		message: "The address is listed as a spam trap and was not contacted."},
	ReasonSMTPSkipped: {verdict: VerdictUnknown, message: "All checks passed; the mail host was not contacted."},
	ReasonNotAsked:    {verdict: VerdictUnknown, message: "The mail host was not asked: the settings exclude it."},
	ReasonResolverUnreliable: {verdict: VerdictUnknown, retryAfter: retryNetwork,
		message: "Our DNS resolver speaks against the domain, but cannot be believed at the moment. " +
			"This is a fault of our network, not of the address."},
	ReasonPortBlocked: {verdict: VerdictUnknown, retryAfter: retryNetwork,
		message: "Our network lets us reach no mail host at all (port 25 is blocked). " +
			"This is a fault of our network, not of the address."},
	ReasonEgressFailed: {verdict: VerdictUnknown, retryAfter: retryEgress,
		message: "The mail host was not asked: the proxy or source address to reach it through failed. " +
			"This is a fault on our side, not of the address."},
	ReasonInternalError: {verdict: VerdictUnknown, message: "The verification could not be carried out."},
}

// happened are the messages about sessions that failed, instead of those of
// [ReasonConnectionFailed] and [ReasonConnectionTimeout]. The first that fits
// is taken; no phase fits all.
var happened = []struct {
	kind    smtp.Kind
	phase   smtp.Phase
	message string
}{
	{smtp.KindRefused, "", "The mail host refused the connection."},
	{smtp.KindClosed, smtp.PhaseGreeting, "The mail host hung up without a greeting."},
	{smtp.KindClosed, smtp.PhaseRCPT, "The mail host hung up when it was asked about the mailbox."},
	{smtp.KindClosed, "", "The mail host hung up before it could be asked about the mailbox."},
	{smtp.KindTimeout, smtp.PhaseConnect, "No connection to the mail host came about in time."},
	{smtp.KindTimeout, smtp.PhaseGreeting, "The mail host did not greet in time."},
	{smtp.KindTimeout, smtp.PhaseRCPT, "The mail host did not answer in time when it was asked about the mailbox."},
}

// afterFailure returns the ruling of a reason with a message that says what
// happened, and how many of the domain's mail hosts were tried if not all were.
func afterFailure(reason Reason, failure smtp.Failure, tried, hosts int) *ruling {
	rule := rulings[reason]
	kind := failure.Kind
	if kind == smtp.KindReset {
		kind = smtp.KindClosed // as far as anybody can tell, it hung up
	}
	for _, h := range happened {
		if h.kind == kind && (h.phase == failure.Phase || h.phase == "") {
			rule.message = h.message
			break
		}
	}
	if tried < hosts {
		rule.message += fmt.Sprintf(" Only %d of the domain's %d mail hosts could be tried.", tried, hosts)
	}
	return &rule
}

// reasonOf maps what a reply proves to a reason. [replies.ClassOK] is not in
// it, because an acceptance is judged together with the control's reply.
var reasonOf = map[replies.Class]Reason{
	replies.ClassOKUnverified: ReasonControlInconclusive,
	replies.ClassNoSuchUser:   ReasonMailboxNotFound,
	replies.ClassDisabled:     ReasonMailboxDisabled,
	replies.ClassMoved:        ReasonMailboxMoved,
	replies.ClassMailboxFull:  ReasonMailboxFull,
	replies.ClassNotOurDomain: ReasonNotOurDomain,
	replies.ClassGreylisted:   ReasonGreylisted,
	replies.ClassRateLimited:  ReasonRateLimited,
	replies.ClassTemporary:    ReasonTemporaryFailure,
	replies.ClassBlocked:      ReasonBlocked,
	replies.ClassRestricted:   ReasonRestricted,
	replies.ClassAmbiguous:    ReasonAmbiguousRefusal,
}
