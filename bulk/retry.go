package bulk

import (
	"errors"
	"hash/maphash"
	"math"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
)

const (
	// busyWait is the first wait after [engine.ErrBusy]; it doubles up to
	// busyWaitMost, about how long a full queue at a mail host lasts.
	busyWait     = time.Second
	busyWaitMost = 32 * time.Second
	// heldWaitMost is the longest wait of an address whose provider is at its
	// limit, if it is not known until when.
	heldWaitMost = 16 * time.Second
	// busyWindow is how long an address is tried again after [engine.ErrBusy],
	// if the retry window is shorter.
	busyWindow = 10 * time.Minute
	// faultTries is how often an address is tried in all when the verification
	// cannot be carried out. A lack of descriptors or memory may pass; other
	// faults stay.
	faultTries = 3
	faultWait  = 2 * time.Second
	// Retries of one domain come together, on a grid of instants that are a
	// tenth of the wait apart, but not more than jitterMost. Each domain has
	// its own, so that not all domains come together.
	jitterShare = 10
	jitterMost  = 30 * time.Second
	// A last try may come lateShare of the window late if the hint asks for it,
	// so that jitter does not cost a try.
	lateShare = 10
)

// retryWait returns the least wait before the retry after that many answers:
// they grow, as RFC 5321 §4.5.4.1 wants and greylisting (RFC 6647) allows.
func retryWait(answers uint16) time.Duration {
	waits := [...]time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute}
	return waits[min(int(answers), len(waits))-1]
}

// RetryRules decide when an address is verified again after a temporary answer.
// [Run] has them by itself; they are for programs that keep the addresses that
// wait, as in a database, and verify those that are due in another run.
type RetryRules struct {
	window time.Duration // how long temporary answers are retried, from the first one
	ends   bool          // the run is to end soon
	seed   maphash.Seed
}

// NewRetryRules returns rules by which temporary answers are retried for as
// long as [Options.RetryWindow] says. Retries of one domain come together.
func NewRetryRules(window time.Duration) RetryRules {
	return RetryRules{window: window, seed: maphash.MakeSeed()}
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
	state := tried{answers: uint16(min(t.Answers, math.MaxUint16-1))}
	if next = t; t.Answers == 0 {
		next.Since = now
	}
	next.Answers++
	state.since = sinceEpoch(next.Since)
	after, again := p.again(&state, r.Domain, r.RetryAfter(), nil, sinceEpoch(now))
	return time.Unix(0, int64(after)), next, again
}

// tried counts the tries for an address of a run.
type tried struct {
	since        time.Duration // time of the first answer, or before there is one of the first ErrBusy
	answers      uint16        // temporary ones
	busy, faults uint16
	held         uint8 // how often it was held back
}

// again returns when, since the start of the run, to try again after an outcome
// that came now: an error, or a result with a hint when another try is
// worthwhile (zero: it is not). False: it is final.
func (p RetryRules) again(
	c *tried, domain string, hint time.Duration, err error, now time.Duration,
) (time.Duration, bool) {
	var held *smtpprobe.HeldBackError
	switch {
	case errors.As(err, &held) && !p.ends:
		return p.afterHeldBack(c, domain, held.RetryAfter, now), true
	case errors.Is(err, engine.ErrBusy):
		return p.afterBusy(c, domain, now)
	case err != nil:
		c.faults++
		return now + time.Duration(c.faults)*faultWait, c.faults < faultTries
	case hint > 0:
		return p.afterAnswer(c, domain, hint, now)
	}
	return 0, false
}

func (p RetryRules) afterAnswer(c *tried, domain string, hint, now time.Duration) (time.Duration, bool) {
	if c.answers == 0 {
		c.since = now
	}
	c.answers++
	end := c.since + p.window
	wait := max(hint, retryWait(c.answers))
	grid := min(wait/jitterShare, jitterMost)
	if due := p.spread(domain, now+wait, grid); due <= end {
		return due, true
	}
	last := max(end, now+hint)
	return p.spread(domain, last, grid), now < end && last <= end+p.window/lateShare
}

func (p RetryRules) afterBusy(c *tried, domain string, now time.Duration) (time.Duration, bool) {
	if c.answers == 0 && c.busy == 0 {
		c.since = now
	}
	wait := min(busyWait<<min(c.busy, 16), busyWaitMost)
	c.busy++
	due := p.spread(domain, now+wait, wait)
	return due, due <= c.since+max(p.window, busyWindow)
}

// afterHeldBack returns when to try again to queue up for a provider that is
// asked as much as it may be. Nobody was asked, so the time does not count.
func (p RetryRules) afterHeldBack(c *tried, domain string, hint, now time.Duration) time.Duration {
	wait := max(hint, min(busyWait<<c.held, heldWaitMost))
	c.held = min(c.held+1, 8)
	return p.spread(domain, now+wait, min(wait, heldWaitMost))
}

// spread returns the first instant of the domain's grid that is not before at.
func (p RetryRules) spread(domain string, at, grid time.Duration) time.Duration {
	if grid <= 0 {
		return at
	}
	offset := time.Duration(maphash.String(p.seed, domain) % uint64(grid))
	past := (at - offset + grid) % grid // at is not negative
	if past == 0 {
		return at
	}
	return at + grid - past
}
