package bulk

import (
	"errors"
	"hash/maphash"
	"math"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/feed"
	"github.com/rcpt/rcpt/smtpprobe"
)

// RetryRules decide when an address is verified again after a temporary answer.
// [Run] has them by itself; they are for programs that keep the addresses that
// wait, as in a database, and verify those that are due in another run.
type RetryRules struct{ rules feed.Retries }

// NewRetryRules returns rules by which temporary answers are retried for as
// long as [Options.RetryWindow] says. Retries of one domain come together.
func NewRetryRules(window time.Duration) RetryRules {
	seed := maphash.MakeSeed()
	grid := func(domain string) uint64 { return maphash.String(seed, domain) }
	return RetryRules{feed.Retries{Window: window, Grid: grid}}
}

// Tries counts the temporary answers about an address. The zero value is for an
// address without one.
type Tries struct {
	Since   time.Time // of the first one
	Answers int
}

// Next returns when to verify the address of a result again, and its tries with
// this result counted; false: the result is final.
func (p RetryRules) Next(t Tries, r rcpt.Result, now time.Time) (due time.Time, next Tries, again bool) {
	if r.Verdict != rcpt.VerdictUnknown || r.RetryAfter() <= 0 {
		return time.Time{}, t, false
	}
	sinceEpoch := func(at time.Time) time.Duration { return time.Duration(at.UnixNano()) }
	state := feed.Tries{Answers: uint16(min(t.Answers, math.MaxUint16-1))}
	if next = t; t.Answers == 0 {
		next.Since = now
	}
	next.Answers++
	state.Since = sinceEpoch(next.Since)
	after, again := p.again(&state, r.Domain, r.RetryAfter(), nil, sinceEpoch(now))
	return time.Unix(0, int64(after)), next, again
}

// again returns when, since the start of the run, to try again after an outcome
// that came now: an error, or a result with a hint when another try is
// worthwhile (zero: it is not). False: it is final.
func (p RetryRules) again(
	t *feed.Tries, domain string, hint time.Duration, err error, now time.Duration,
) (time.Duration, bool) {
	var held *smtpprobe.HeldBackError
	switch {
	case errors.As(err, &held):
		return p.rules.Next(t, domain, feed.HeldBack, held.RetryAfter, now)
	case errors.Is(err, engine.ErrBusy):
		return p.rules.Next(t, domain, feed.Busy, 0, now)
	case err != nil:
		return p.rules.Next(t, domain, feed.Fault, 0, now)
	}
	return p.rules.Next(t, domain, feed.Answered, hint, now)
}
