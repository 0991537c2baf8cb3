package engine

import "time"

// keepUnknown is how long an unknown is believed that the mail host gave no hint for: long enough to spare it a caller who asks in a loop, and
// short enough for whoever mends what was wrong.
const keepUnknown = 10 * time.Minute

// lasting is how long a result is believed, by its reason. What a mail host says of a mailbox changes seldom; what it says of us, and what is
// wrong at the moment, may change soon.
var lasting = map[Reason]time.Duration{
	RecipientAccepted: 12 * time.Hour, // mailboxes are closed with notice, and a list is mailed within the day
	CatchAll:          12 * time.Hour, // a setting of the domain, changed once in years; the day after a move it is to be seen
	MailboxNotFound:   6 * time.Hour,  // a name that is not there may be given to somebody today, and a false word costs a customer
	MailboxMoved:      12 * time.Hour, // who has moved has told where to, and stays away
	MailboxDisabled:   6 * time.Hour,  // a suspended account may be paid for, or unlocked, within the day

	DomainNotFound: time.Hour, // somebody may be registering it now; denials of the DNS are believed for an hour at most, too
	NoMailHost:     time.Hour, // a zone that is being set up gets its MX soon
	NullMX:         time.Hour, // is changed by one record, as soon as the mail service is bought

	SMTPUTF8Unsupported: 12 * time.Hour, // the mail host would have to get other software
	MXReservedAddress:   keepUnknown,    // a slip in the zone is mended as soon as it is seen
	InvalidSyntax:       time.Hour,      // the grammar stays; to find it out again costs next to nothing

	Greylisted:          time.Hour,   // until the hint is over, which is the usual end; hosts that name a day often take less
	MailboxFull:         keepUnknown, // its owner may be clearing it
	ControlInconclusive: keepUnknown, // the next random recipient may tell more
	AmbiguousRefusal:    keepUnknown, // what it was about is not known, nor how long it lasts
	NotOurDomain:        keepUnknown, // a relay whose table of domains is behind
	Blocked:             keepUnknown, // it is about us, and we may have left the block list
	RateLimited:         keepUnknown, // it is about what we did just now
	TemporaryFailure:    keepUnknown, // the host says itself that it passes
	ConnectionFailed:    keepUnknown, // a host that restarts, or our own network
	ConnectionTimeout:   keepUnknown, // the same
	TLSFailed:           keepUnknown, // a certificate or a setting that is being changed
	ProtocolError:       keepUnknown, // a broken host that somebody mends
	DNSTemporary:        keepUnknown, // name servers come back; the hint, a minute, ends it sooner

	ResolverUnreliable: keepUnknown, // our network works again at any time; the hint, a minute, ends it sooner
	PortBlocked:        keepUnknown, // the same, with somebody's help

	SpamTrap:      keepUnknown, // costs nothing to find out again
	SMTPSkipped:   keepUnknown, // the same, or a question to the DNS
	InternalError: 0,           // it is no answer
}

// Lasts is how long the result is to be believed from when it was checked; zero: not beyond this once. An unknown is never believed beyond the
// time at which asking again is worth it.
func (r Result) Lasts() time.Duration {
	if !r.Success || r.Details == nil || r.Details.CheckedAt.IsZero() {
		return 0
	}
	lasts := lasting[r.Details.Reason]
	if again := r.RetryAt(); r.Verdict == Unknown && !again.IsZero() {
		return min(lasts, again.Sub(r.Details.CheckedAt))
	}
	return lasts
}

// RetryAt is when asking again is worth it; zero: it is not. The hint counts from the answer, and CheckedAt is when the question was begun.
func (r Result) RetryAt() time.Time {
	if r.Details == nil || r.Details.RetryAfter <= 0 || r.Details.CheckedAt.IsZero() {
		return time.Time{}
	}
	asked := time.Duration(r.Details.DurationMS) * time.Millisecond
	return r.Details.CheckedAt.Add(asked + time.Duration(r.Details.RetryAfter)*time.Second)
}
