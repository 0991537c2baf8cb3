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
	ReasonRecipientAccepted: 12 * time.Hour, // mailboxes are closed with notice, and a list is mailed within the day
	// a setting of the domain that changes once in years; after a move it shows
	// within a day
	ReasonCatchAll: 12 * time.Hour,
	// a mailbox that does not exist may be created today, and a wrong answer
	// costs a customer
	ReasonMailboxNotFound: 6 * time.Hour,
	ReasonMailboxMoved:    12 * time.Hour, // forwarding addresses rarely change within a day
	ReasonMailboxDisabled: 6 * time.Hour,  // a suspended account may be paid for, or unlocked, within the day

	// it may be registered soon, and denials of the DNS are cached for an hour
	// at most
	ReasonDomainNotFound: time.Hour,
	ReasonNoMailHost:     time.Hour, // a zone that is being set up gets its MX soon
	ReasonNullMX:         time.Hour, // is changed by one record, as soon as the mail service is bought

	ReasonSMTPUTF8Unsupported: 12 * time.Hour, // the mail host would have to get other software
	ReasonMXReservedAddress:   keepUnknown,    // a slip in the zone is mended as soon as it is seen
	ReasonInvalidSyntax:       time.Hour,      // the grammar stays; to find it out again costs next to nothing

	// or until the hint is over, which is usual; hosts that name a day often
	// take less
	ReasonGreylisted:          time.Hour,
	ReasonMailboxFull:         keepUnknown, // its owner may be clearing it
	ReasonControlInconclusive: keepUnknown, // the next random recipient may tell more
	ReasonAmbiguousRefusal:    keepUnknown, // what it was about is not known, nor how long it lasts
	ReasonNotOurDomain:        keepUnknown, // the relay's table of domains may be out of date
	ReasonRestricted:          keepUnknown, // a setting of the list, which its owner may be changing
	ReasonBlocked:             keepUnknown, // it is about us, and we may have left the block list
	ReasonRateLimited:         keepUnknown, // it is about what we did just now
	ReasonTemporaryFailure:    keepUnknown, // the host says itself that it passes
	ReasonConnectionFailed:    keepUnknown, // a host that restarts, or our own network
	ReasonConnectionTimeout:   keepUnknown, // the same
	ReasonTLSFailed:           keepUnknown, // a certificate or a setting that is being changed
	ReasonProtocolError:       keepUnknown, // the host may be repaired
	ReasonDNSTemporary:        keepUnknown, // name servers come back; the hint, a minute, ends it sooner

	ReasonResolverUnreliable: keepUnknown, // our network works again at any time; the hint, a minute, ends it sooner
	ReasonPortBlocked:        keepUnknown, // as above
	ReasonEgressFailed:       keepUnknown, // as above

	ReasonSpamTrap:      keepUnknown, // costs nothing to find out again
	ReasonSMTPSkipped:   keepUnknown, // the same, or a question to the DNS
	ReasonNotAsked:      keepUnknown, // the same
	ReasonInternalError: 0,           // it is no answer
}

// Lasts returns how long the result may be reused after it was checked; zero:
// not at all. An unknown is never reused beyond the time at which asking again
// is worthwhile.
func (r Result) Lasts() time.Duration {
	if !r.Success || r.Details == nil || r.Details.CheckedAt.IsZero() {
		return 0
	}
	lasts := lasting[r.Details.Reason]
	if again := r.RetryAt(); r.Verdict == VerdictUnknown && !again.IsZero() {
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
	return r.Details.CheckedAt.Add(r.Details.Duration + r.Details.RetryAfter)
}

// Settled reports whether more time could not have changed the result, which
// was got under ctx by a Verifier with the usual timeout: it is a verdict, or a
// refusal by a mail host, or ctx left it about as much time as is usual. The
// wait for a session does not count, as it does not for the timeout. An unknown
// that is not settled is not to be remembered.
func (r Result) Settled(ctx context.Context, usual time.Duration) bool {
	if r.Verdict != VerdictUnknown || r.Details == nil || r.Details.SMTP != nil && r.Details.SMTP.Code >= 400 {
		return true
	}
	deadline, ok := ctx.Deadline()
	return !ok || !deadline.Before(r.Details.CheckedAt.Add(r.Details.Waited+usual-usual/10))
}

// Replaces reports whether r may take the place of a remembered result that
// still lasts: an unknown never replaces a verdict.
func (r Result) Replaces(known Result) bool {
	return r.Verdict != VerdictUnknown || known.Verdict == VerdictUnknown
}
