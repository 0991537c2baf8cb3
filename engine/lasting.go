package engine

import (
	"context"
	"time"
)

// keepUnknown is how long an unknown without a hint is reused: long enough to
// protect a mail host from a caller that asks in a loop, and short enough for
// people who fix what was wrong.
const keepUnknown = 10 * time.Minute

// lasting is how long a result is reused, by its reason. What a mail host says
// about a mailbox rarely changes; what it says about the client, and temporary
// faults, may change soon.
var lasting = map[Reason]time.Duration{
	RecipientAccepted: 12 * time.Hour, // mailboxes are closed with notice, and a list is mailed within the day
	// a setting of the domain that changes once in years; after a move it shows
	// within a day
	CatchAll: 12 * time.Hour,
	// a mailbox that does not exist may be created today, and a wrong answer
	// costs a customer
	MailboxNotFound: 6 * time.Hour,
	MailboxMoved:    12 * time.Hour, // forwarding addresses rarely change within a day
	MailboxDisabled: 6 * time.Hour,  // a suspended account may be paid for, or unlocked, within the day

	// it may be registered soon, and denials of the DNS are cached for an hour
	// at most
	DomainNotFound: time.Hour,
	NoMailHost:     time.Hour, // a zone that is being set up gets its MX soon
	NullMX:         time.Hour, // is changed by one record, as soon as the mail service is bought

	SMTPUTF8Unsupported: 12 * time.Hour, // the mail host would have to get other software
	MXReservedAddress:   keepUnknown,    // a slip in the zone is mended as soon as it is seen
	InvalidSyntax:       time.Hour,      // the grammar stays; to find it out again costs next to nothing

	// or until the hint is over, which is usual; hosts that name a day often
	// take less
	Greylisted:          time.Hour,
	MailboxFull:         keepUnknown, // its owner may be clearing it
	ControlInconclusive: keepUnknown, // the next random recipient may tell more
	AmbiguousRefusal:    keepUnknown, // what it was about is not known, nor how long it lasts
	NotOurDomain:        keepUnknown, // the relay's table of domains may be out of date
	Blocked:             keepUnknown, // it is about us, and we may have left the block list
	RateLimited:         keepUnknown, // it is about what we did just now
	TemporaryFailure:    keepUnknown, // the host says itself that it passes
	ConnectionFailed:    keepUnknown, // a host that restarts, or our own network
	ConnectionTimeout:   keepUnknown, // the same
	TLSFailed:           keepUnknown, // a certificate or a setting that is being changed
	ProtocolError:       keepUnknown, // the host may be repaired
	DNSTemporary:        keepUnknown, // name servers come back; the hint, a minute, ends it sooner

	ResolverUnreliable: keepUnknown, // our network works again at any time; the hint, a minute, ends it sooner
	PortBlocked:        keepUnknown, // as above
	EgressFailed:       keepUnknown, // as above

	SpamTrap:      keepUnknown, // costs nothing to find out again
	SMTPSkipped:   keepUnknown, // the same, or a question to the DNS
	InternalError: 0,           // it is no answer
}

// Lasts returns how long the result may be reused after it was checked; zero:
// not at all. An unknown is never reused beyond the time at which asking again
// is worthwhile.
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

// clockSlack is more than clocks differ.
const clockSlack = time.Minute

// Ahead reports whether the result was checked later than now, by more than
// clocks differ. The clock was wrong, then or now: the result is not to be
// reused.
func (r Result) Ahead(now time.Time) bool {
	return r.Details != nil && r.Details.CheckedAt.After(now.Add(clockSlack))
}

// RetryAt returns when asking again is worthwhile; zero: it is not. The hint
// counts from the answer, and CheckedAt is when the verification began.
func (r Result) RetryAt() time.Time {
	if r.Details == nil || r.Details.RetryAfter <= 0 || r.Details.CheckedAt.IsZero() {
		return time.Time{}
	}
	asked := time.Duration(r.Details.DurationMS) * time.Millisecond
	return r.Details.CheckedAt.Add(asked + time.Duration(r.Details.RetryAfter)*time.Second)
}

// Hurried reports whether ctx gives a verification clearly less time than it
// usually has. Such a verification may find nothing out for that reason alone:
// its result is not to be remembered unless it is settled
// ([Result.Settled]).
func Hurried(ctx context.Context, usual time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < usual-usual/10
}

// Settled reports whether more time could not have changed the result: it is a
// verdict, or a refusal by a mail host. An acceptance without the reply about
// the control mailbox is neither, nor is silence.
func (r Result) Settled() bool {
	return r.Verdict != Unknown || r.Details != nil && r.Details.SMTP != nil && r.Details.SMTP.Code >= 400
}

// Replaces reports whether r may take the place of a remembered result that
// still lasts: an unknown never replaces a verdict.
func (r Result) Replaces(known Result) bool {
	return r.Verdict != Unknown || known.Verdict == Unknown
}
