package rcpt

import (
	"context"
	"time"
)

// Lasts returns how long the result may be reused after it was checked; zero:
// not at all. An unknown is never reused beyond the time at which asking again
// is worthwhile.
func (r Result) Lasts() time.Duration {
	if !r.Success || r.Details == nil || r.Details.CheckedAt.IsZero() {
		return 0
	}
	lasts := rows[r.Details.Reason].lasts
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
