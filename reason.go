package rcpt

import (
	"maps"
	"slices"
	"time"
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
	ReasonLevelReached        Reason = "level_reached"
	ReasonUnsupportedAddress  Reason = "unsupported_address"
	ReasonNotAsked            Reason = "not_asked"
	ReasonResolverUnreliable  Reason = "resolver_unreliable"
	ReasonPortBlocked         Reason = "port_blocked"
	ReasonEgressFailed        Reason = "egress_failed"
	ReasonInternalError       Reason = "internal_error"

	// Of what was not carried out. The error beside the result says more.
	ReasonUnfinished Reason = "unfinished" // the context of the caller ended
	ReasonBusy       Reason = "busy"       // too many wait for the mail host
	ReasonClosed     Reason = "closed"     // the Verifier was closed
	ReasonNotYet     Reason = "not_yet"    // it goes on without the caller

	// Of what is not asked about, because it is not one address.
	ReasonSeveralAddresses Reason = "several_addresses"
	ReasonNoAddress        Reason = "no_address"
	ReasonUnclearAddress   Reason = "unclear_address"
	ReasonInvalidRow       Reason = "invalid_row"
)

// Step is a step of a verification.
type Step string

// The steps, in their order.
const (
	StepSyntax Step = "syntax" // the address alone
	StepLists  Step = "lists"  // of known addresses and domains
	StepDNS    Step = "dns"    // the mail hosts of the domain
	StepSMTP   Step = "smtp"   // the answer of a mail host
)

// Subject is whom a reason is about.
type Subject string

// The subjects.
const (
	AboutAddress Subject = "address" // the text, or the mailbox
	AboutDomain  Subject = "domain"  // its DNS, or all of its mailboxes
	AboutHost    Subject = "host"    // the mail host
	AboutUs      Subject = "us"      // our network, reputation, settings or haste: nothing is known of the address
)

// row is what follows from a reason. To add a reason is to add its constant and
// its row, and to give it somewhere in decide*.go.
type row struct {
	verdict Verdict // only [ReasonMXReservedAddress] has a second one: see selfRuling
	message string
	// retryAfter is the wait after which asking again is worthwhile if the mail
	// host gives no hint; zero: it is not.
	retryAfter time.Duration
	// passing: another try may change the result.
	passing bool
	// lasts is how long a result is reused. What a mail host says about a
	// mailbox rarely changes; what it says about the client, and temporary
	// faults, may change soon.
	lasts time.Duration
	// durable: the reason is about the mailbox or its domain, and not about the
	// client, so that other clients can use the result, too.
	durable bool
	about   Subject
	// ours: our own network is at fault.
	ours bool
	// failed: the verification was not carried out.
	failed bool
	// ends is the first step that may give the reason, which makes the later
	// ones unnecessary; empty: it says that something was not done.
	ends Step
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

// keepUnknown is how long an unknown without a hint is reused: long enough to
// protect a mail host from a caller that asks in a loop, and short enough for
// people who fix what was wrong.
const keepUnknown = 10 * time.Minute

// rows has every reason.
var rows = map[Reason]row{
	ReasonInvalidSyntax: {
		verdict: VerdictUndeliverable, about: AboutAddress, ends: StepSyntax,
		message: "The address is not well-formed.",
		lasts:   time.Hour, // the grammar stays; to find it out again costs next to nothing
	},
	ReasonDomainNotFound: {
		verdict: VerdictUndeliverable, about: AboutDomain, ends: StepDNS, durable: true,
		message: "The domain does not exist.",
		lasts:   time.Hour, // it may be registered soon; the DNS caches denials for an hour at most
	},
	ReasonNoMailHost: {
		verdict: VerdictUndeliverable, about: AboutDomain, ends: StepDNS, durable: true,
		message: "The domain has no mail host: neither MX nor address records lead anywhere.",
		lasts:   time.Hour, // a zone that is being set up gets its MX soon
	},
	ReasonNullMX: {
		verdict: VerdictUndeliverable, about: AboutDomain, ends: StepDNS, durable: true,
		message: "The domain declares that it takes no mail (null MX).",
		lasts:   time.Hour, // one record changes it, as soon as the mail service is bought
	},
	ReasonMXReservedAddress: {
		verdict: VerdictUnknown, about: AboutDomain, ends: StepDNS,
		message: "Every mail host of the domain has an address in reserved or private space, which is not contacted.",
		lasts:   keepUnknown, // a slip in the zone is mended as soon as it is seen
	},
	ReasonDNSTemporary: {
		verdict: VerdictUnknown, about: AboutDomain, ends: StepDNS,
		message: "The DNS gave no answer about the domain's mail hosts; try again later.",
		lasts:   keepUnknown, // name servers come back; the hint, a minute, ends it sooner
		passing: true, retryAfter: retryDNS,
	},
	ReasonConnectionFailed: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "No mail host of the domain could be reached.",
		lasts:   keepUnknown, // a host that restarts, or our own network
		passing: true, retryAfter: retryTemporary,
	},
	ReasonConnectionTimeout: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The domain's mail host did not answer in time.",
		lasts:   keepUnknown, // a host that restarts or is busy, or our own network
		passing: true, retryAfter: retryTemporary,
	},
	ReasonTLSFailed: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The mail host offers TLS, but no TLS session could be set up with it.",
		lasts:   keepUnknown, // a certificate or a setting that is being changed
		passing: true, retryAfter: retryTemporary,
	},
	ReasonMailboxNotFound: {
		verdict: VerdictUndeliverable, about: AboutAddress, ends: StepSMTP, durable: true,
		message: "The mail host says that the mailbox does not exist.",
		lasts:   6 * time.Hour, // it may be created today, and a wrong answer costs a customer
	},
	ReasonMailboxDisabled: {
		verdict: VerdictUndeliverable, about: AboutAddress, ends: StepSMTP, durable: true,
		message: "The mail host says that the mailbox is disabled.",
		lasts:   6 * time.Hour, // a suspended account may be paid for, or unlocked, within the day
	},
	ReasonMailboxMoved: {
		verdict: VerdictUndeliverable, about: AboutAddress, ends: StepSMTP, durable: true,
		message: "The mail host says that the mailbox has moved to another address.",
		lasts:   12 * time.Hour, // forwarding addresses rarely change within a day
	},
	ReasonMailboxFull: {
		verdict: VerdictUnknown, about: AboutAddress, ends: StepSMTP, durable: true,
		message: "The mailbox exists but is over its quota at the moment.",
		lasts:   keepUnknown, // its owner may be clearing it
		passing: true,        // it would bounce today
	},
	ReasonNotOurDomain: {
		verdict: VerdictUnknown, about: AboutDomain, ends: StepSMTP,
		message: "The mail host says that it does not take mail for this domain from us.",
		lasts:   keepUnknown, // the relay's table of domains may be out of date
	},
	ReasonGreylisted: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP, durable: true,
		message: "The mail host asks every new sender to come back later (greylisting); try again.",
		lasts:   time.Hour, // or until the hint is over; hosts that name a day often take less
		passing: true, retryAfter: retryGreylist,
	},
	ReasonRateLimited: {
		verdict: VerdictUnknown, about: AboutUs, ends: StepSMTP,
		message: "The mail host limits how much it is asked; try again later.",
		lasts:   keepUnknown, // it is about what we did just now
		passing: true, retryAfter: retryTemporary,
	},
	ReasonBlocked: {
		verdict: VerdictUnknown, about: AboutUs, ends: StepSMTP,
		message: "The mail host refused us, not the mailbox: a block list, a policy or our reputation.",
		lasts:   keepUnknown, // it is about us, and we may have left the block list
		passing: true,        // from another network, or when the block is gone
	},
	ReasonRestricted: {
		verdict: VerdictUnknown, about: AboutAddress, ends: StepSMTP,
		message: "The mailbox or list takes mail from certain senders only.",
		lasts:   keepUnknown, // a setting of the list, which its owner may be changing
	},
	ReasonTemporaryFailure: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The mail host has a temporary problem; try again later.",
		lasts:   keepUnknown, // the host says itself that it passes
		passing: true, retryAfter: retryTemporary,
	},
	ReasonAmbiguousRefusal: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The mail host refused without saying whether the mailbox exists.",
		lasts:   keepUnknown, // what it was about is not known, nor how long it lasts
	},
	ReasonProtocolError: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The domain's mail host does not speak proper SMTP.",
		lasts:   keepUnknown, // the host may be repaired
	},
	ReasonSMTPUTF8Unsupported: {
		verdict: VerdictUndeliverable, about: AboutHost, ends: StepSMTP, durable: true,
		message: "The local-part has non-ASCII characters, " +
			"and the mail host cannot take such addresses (no SMTPUTF8).",
		lasts: 12 * time.Hour, // the mail host would have to get other software
	},
	ReasonCatchAll: {
		verdict: VerdictAcceptAll, about: AboutDomain, ends: StepSMTP, durable: true,
		message: "The mail host takes mail for every address of the domain.",
		lasts:   12 * time.Hour, // changes once in years; after a move it shows within a day
	},
	ReasonRecipientAccepted: {
		verdict: VerdictDeliverable, about: AboutAddress, ends: StepSMTP, durable: true,
		message: "The mail host takes mail for this mailbox and refuses unknown ones.",
		lasts:   12 * time.Hour, // mailboxes are closed with notice, and a list is mailed within the day
	},
	ReasonControlInconclusive: {
		verdict: VerdictUnknown, about: AboutHost, ends: StepSMTP,
		message: "The mail host accepted the address, but whether it would accept any address could not be found out.",
		lasts:   keepUnknown, // the next random recipient may tell more
	},
	ReasonSpamTrap: {
		verdict: VerdictUnknown, about: AboutAddress, ends: StepLists,
		message: "The address is listed as a spam trap and was not contacted.",
		lasts:   keepUnknown, // costs nothing to find out again
	},
	ReasonLevelReached: {
		verdict: VerdictUnknown,
		message: "All checks passed; the mail host was not contacted.",
		lasts:   keepUnknown, // costs at most a question to the DNS
	},
	ReasonUnsupportedAddress: {
		verdict: VerdictUnknown, ends: StepSyntax, about: AboutAddress,
		message: "The address is of a kind that is not verified.",
		lasts:   keepUnknown, // costs nothing to find out again
	},
	ReasonNotAsked: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "The mail host was not asked: the settings exclude it.",
		lasts:   keepUnknown, // costs at most a question to the DNS
	},
	ReasonResolverUnreliable: {
		verdict: VerdictUnknown, about: AboutUs, ends: StepDNS, ours: true,
		message: "Our DNS resolver speaks against the domain, but cannot be believed at the moment. " +
			"This is a fault of our network, not of the address.",
		lasts:   keepUnknown, // our network may work again soon; the hint, a minute, ends it sooner
		passing: true, retryAfter: retryNetwork,
	},
	ReasonPortBlocked: {
		verdict: VerdictUnknown, about: AboutUs, ends: StepSMTP, ours: true,
		message: "Our network lets us reach no mail host at all (port 25 is blocked). " +
			"This is a fault of our network, not of the address.",
		lasts:   keepUnknown, // our network may work again soon; the hint, a minute, ends it sooner
		passing: true, retryAfter: retryNetwork,
	},
	ReasonEgressFailed: {
		verdict: VerdictUnknown, about: AboutUs, ends: StepSMTP, ours: true,
		message: "The mail host was not asked: the proxy or source address to reach it through failed. " +
			"This is a fault on our side, not of the address.",
		lasts:   keepUnknown, // our network may work again soon; the hint, a minute, ends it sooner
		passing: true, retryAfter: retryEgress,
	},
	ReasonInternalError: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "The verification could not be carried out.",
		lasts:   0, // it is no answer
		passing: true, failed: true,
	},
	ReasonUnfinished: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "The verification did not end: it was stopped, or had no more time.",
		passing: true, failed: true,
	},
	ReasonBusy: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "The mail host was not asked: too many verifications wait for it.",
		passing: true, failed: true,
	},
	ReasonClosed: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "The verification was not carried out: the program is ending.",
		passing: true, failed: true,
	},
	ReasonNotYet: {
		verdict: VerdictUnknown, about: AboutUs,
		message: "There is no answer yet; the verification goes on.",
		passing: true, failed: true,
	},
	ReasonSeveralAddresses: {
		verdict: VerdictUnknown, about: AboutAddress, ends: StepSyntax,
		message: "There is more than one address; give each by itself.",
	},
	ReasonNoAddress: {
		verdict: VerdictUnknown, about: AboutAddress, ends: StepSyntax,
		message: "There is no address.",
	},
	ReasonUnclearAddress: {
		verdict: VerdictUnknown, about: AboutAddress,
		message: "Not asked: there are other words beside the address.",
	},
	ReasonInvalidRow: {
		verdict: VerdictUnknown, about: AboutAddress,
		message: "Not asked: the row of the list cannot be read.",
		failed:  true,
	},
}

// Reasons returns every reason, in alphabetical order.
func Reasons() []Reason { return slices.Sorted(maps.Keys(rows)) }

// Verdict returns the verdict of the reason, or an empty one for an unknown
// reason. [ReasonMXReservedAddress] has two; this returns the usual one.
func (r Reason) Verdict() Verdict { return rows[r].verdict }

// Passing reports whether another try may change a result that is unknown for
// this reason.
func (r Reason) Passing() bool { return rows[r].passing }

// About says whom the reason is about; empty for [ReasonLevelReached], which is
// about nobody, and for an unknown reason. [AboutUs] says that nothing is known
// of the address because of us: try again later, or mend what the message
// names.
func (r Reason) About() Subject { return rows[r].about }

// Durable reports whether the reason is about the mailbox or its domain, and
// not about the client that asked: the result is worth sharing with others. So
// is [ReasonGreylisted], as it says when to ask again, and from which egress.
func (r Reason) Durable() bool { return rows[r].durable }

// OurNetwork reports whether our own network is at fault: the result says
// nothing about the address.
func (r Reason) OurNetwork() bool { return rows[r].ours }

// EndsAt returns the first step that may give the reason, and makes the later
// ones unnecessary. It is empty for reasons that say that something was not
// done, such as [ReasonLevelReached].
func (r Reason) EndsAt() Step { return rows[r].ends }

// Message returns what a result says for the reason, for people; empty for an
// unknown reason. A result may say more, or something more exact.
func (r Reason) Message() string { return rows[r].message }

// RetryAfter returns how long to wait before asking again where the mail host
// has not said it; zero: asking again is not worthwhile.
func (r Reason) RetryAfter() time.Duration { return rows[r].retryAfter }

// Failed reports whether the verification was not carried out: the result
// comes beside an error, and JSON has "success": false.
func (r Reason) Failed() bool { return rows[r].failed }
