package bulk

import (
	"hash/maphash"
	"math"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// RetryPlan has the rules by which [Run] retries temporary answers, for
// programs that keep the addresses that wait themselves: in a database, for
// example. Retries of one domain come together.
type RetryPlan struct{ pacer pacer }

// NewRetryPlan returns a plan that retries for as long as window, from the
// first temporary answer on.
func NewRetryPlan(window time.Duration) RetryPlan {
	return RetryPlan{pacer{window: window, seed: maphash.MakeSeed()}}
}

// Tries counts the temporary answers about an address.
type Tries struct {
	Since   time.Time // of the first one
	Answers int
}

// Next returns when to verify the address of a result again, and its Tries with
// this result counted; false: the result is final.
func (p RetryPlan) Next(t Tries, r engine.Result, now time.Time) (due time.Time, next Tries, again bool) {
	if r.Verdict != engine.VerdictUnknown || r.Details == nil || r.Details.RetryAfter <= 0 {
		return time.Time{}, t, false
	}
	sinceEpoch := func(at time.Time) time.Duration { return time.Duration(at.UnixNano()) }
	state := retryState{answers: uint16(min(t.Answers, math.MaxUint16-1))}
	if next = t; t.Answers == 0 {
		next.Since = now
	}
	next.Answers++
	state.since = sinceEpoch(next.Since)
	hint := r.Details.RetryAfter
	after, again := p.pacer.again(&state, r.Domain, outcome{retryAfter: hint}, sinceEpoch(now))
	return time.Unix(0, int64(after)), next, again
}
