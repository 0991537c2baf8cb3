package keyring

import (
	"math"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// tokenParts is how many parts a token has: the fraction that an answer
	// from memory costs.
	tokenParts = 10
	// rememberedCost and probedCost are what answers cost, in parts of a token.
	rememberedCost = 1
	probedCost     = tokenParts
	// slowest bounds how long a bucket takes to fill, so that sums of times
	// stay within 64 bits, and slowestPart a part of its tokens: a bucket that
	// cannot hold a whole token would never give one.
	slowest     = time.Duration(1 << 61)
	slowestPart = slowest / 16
)

// bucket is a token bucket that holds burst tokens and gets one each interval.
// The zero bucket does not limit.
//
// Its state is a single time, as in the generic cell rate algorithm (ITU-T
// I.371): the moment at which the bucket will be full. Each token that is spent
// moves it by an interval, and it may lie no farther ahead than an empty bucket
// takes to fill. Times are those since the Keyring was opened, so that a wall
// clock which is set neither fills a bucket nor locks a key out.
type bucket struct {
	part time.Duration // in which a part of a token is refilled
	full time.Duration // in which an empty bucket is
	size int64         // in tokens
}

// newBucket returns the bucket of a rate; a rate of zero means none.
func newBucket(perSecond float64, burst int) bucket {
	if perSecond <= 0 {
		return bucket{}
	}
	part := max(1, math.Round(min(float64(time.Second)/tokenParts/perSecond, float64(slowestPart))))
	size := int64(max(1, burst))
	full := min(part*tokenParts*float64(size), float64(slowest))
	return bucket{time.Duration(part), time.Duration(full), size}
}

// DefaultBurst is how many requests a key may make at once that has no burst of
// its own: as many as its rate allows in one of its windows, and one at least.
// Callers that know another window than a second, as in ten a minute, give the
// requests of that.
func DefaultBurst(requests float64) int {
	return int(math.Ceil(min(max(1, requests), math.MaxInt32)))
}

// BurstOf is how many requests may be made with a key at once; zero: as many as
// one likes.
func BurstOf(key rows.Key) int {
	switch {
	case key.RatePerSecond <= 0:
		return 0
	case key.Burst > 0:
		return key.Burst
	}
	return DefaultBurst(key.RatePerSecond)
}

func (b bucket) limits() bool { return b.part > 0 }

// spend takes parts of tokens from a bucket that will be full at the time
// state, and returns the new state; without them, if there are not enough, and
// how long to wait for them.
func (b bucket) spend(state, now time.Duration, parts int) (next, wait time.Duration) {
	state = b.bounded(state, now)
	next = state + time.Duration(parts)*b.part
	if wait = next - (now + b.full); wait > 0 {
		return state, wait
	}
	return next, 0
}

// tokens is how many whole tokens there are.
func (b bucket) tokens(state, now time.Duration) int64 {
	return int64((b.full - b.untilFull(state, now)) / (tokenParts * b.part))
}

func (b bucket) untilFull(state, now time.Duration) time.Duration { return b.bounded(state, now) - now }

// bounded is the state no fuller than full, and no emptier than empty, which it
// may seem to be after the limits have changed.
func (b bucket) bounded(state, now time.Duration) time.Duration {
	return min(max(state, now), now+b.full)
}
