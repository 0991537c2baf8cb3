package retry

import (
	"math"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// Tries counts the temporary answers about an address.
type Tries struct {
	Since   time.Time // of the first one
	Answers int
}

// Next is Again for programs that keep the addresses that wait in a database:
// it returns when to verify the address of a result again, and its Tries with
// this result counted; false: the result is final.
func (p Rules) Next(t Tries, r engine.Result, now time.Time) (due time.Time, next Tries, again bool) {
	if r.Verdict != engine.VerdictUnknown || r.Details == nil || r.Details.RetryAfter <= 0 {
		return time.Time{}, t, false
	}
	sinceEpoch := func(at time.Time) time.Duration { return time.Duration(at.UnixNano()) }
	state := State{Answers: uint16(min(t.Answers, math.MaxUint16-1))}
	if next = t; t.Answers == 0 {
		next.Since = now
	}
	next.Answers++
	state.since = sinceEpoch(next.Since)
	hint := r.Details.RetryAfter
	after, again := p.Again(&state, r.Domain, hint, nil, sinceEpoch(now))
	return time.Unix(0, int64(after)), next, again
}
