package keyring

import (
	"math"
	"strconv"
	"time"
)

// Rate is the state of a key's rate limit, for the fields RateLimit-Limit,
// RateLimit-Remaining, RateLimit-Reset and RateLimit-Policy
// (draft-ietf-httpapi-ratelimit-headers-06). The zero Rate means that the key
// has no such limit.
type Rate struct {
	Limit     int64         // requests that can be made at once after a pause
	Remaining int64         // requests that can be made at once now
	Reset     time.Duration // until there are as many as Limit
	Policy    string        // requests, the seconds for which they are, and Limit
}

// Limited tells whether there is a rate limit.
func (r Rate) Limited() bool { return r.Limit > 0 }

// Seconds is a duration as header fields have it: whole seconds, rounded up.
func Seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// policy formats a rate as requests in a window: the shortest of a second, a
// minute, an hour and a day in which they are a whole number.
func policy(perSecond float64, size int64) string {
	if perSecond <= 0 {
		return ""
	}
	const nearly = 1e-6 // what is lost when a rate of, say, 100 an hour becomes one of so many a second
	requests, window := int64(max(1, perSecond)), int64(math.Ceil(min(max(1, 1/perSecond), slowest.Seconds())))
	for _, seconds := range []int64{1, 60, 3600, 86400} {
		exact := perSecond * float64(seconds)
		if whole := math.Round(exact); whole >= 1 && math.Abs(exact-whole) <= nearly*whole {
			requests, window = int64(whole), seconds
			break
		}
	}
	return strconv.FormatInt(requests, 10) + ";w=" + strconv.FormatInt(window, 10) +
		";burst=" + strconv.FormatInt(size, 10)
}
