package rcpt

import "time"

// Expires returns until when the result may be reused; zero: it may not. An
// unknown is never reused beyond the time at which asking again is worthwhile.
func (r Result) Expires() time.Time {
	lasts := rows[r.Reason].lasts
	if lasts == 0 || r.CheckedAt.IsZero() {
		return time.Time{}
	}
	expires := r.CheckedAt.Add(lasts)
	if r.Verdict == VerdictUnknown && !r.RetryAt.IsZero() && r.RetryAt.Before(expires) {
		return r.RetryAt
	}
	return expires
}

// clockSlack is more than clocks differ.
const clockSlack = time.Minute

// Reusable reports whether the result may be used at a time without asking
// again: it has not expired, and was not checked later than that by more than
// clocks differ. The clock was wrong in the latter case, then or now.
func (r Result) Reusable(now time.Time) bool {
	return now.Before(r.Expires()) && !r.CheckedAt.After(now.Add(clockSlack))
}

// RetryAfter returns how long after the answer, or after the look-up of a
// remembered one, asking again is worthwhile, in whole seconds; zero: it is
// not. [Result.RetryAt] says the same as a time.
func (r Result) RetryAfter() time.Duration {
	if r.RetryAt.IsZero() {
		return 0
	}
	answered := r.CheckedAt
	if r.Details != nil {
		answered = answered.Add(r.Details.Duration + r.Details.Age)
	}
	return max(0, (r.RetryAt.Sub(answered) + time.Second - 1).Truncate(time.Second))
}

// Settled reports whether more time could not have changed the result: it is a
// verdict, or a refusal by a mail host. One that is not settled is not to be
// remembered if it was got in less time than usual. An unknown without details
// does not show which it is, and is not settled.
func (r Result) Settled() bool {
	return r.Verdict != VerdictUnknown || r.Details != nil && r.Details.SMTP != nil && r.Details.SMTP.Code >= 400
}

// Replaces reports whether r may take the place of a remembered result that
// still lasts: an unknown never replaces a verdict.
func (r Result) Replaces(known Result) bool {
	return r.Verdict != VerdictUnknown || known.Verdict == VerdictUnknown
}
