package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// firstWait is the wait after the first try; each next one is twice as long.
const firstWait = 500 * time.Millisecond

// worthRetrying reports whether the same request may be answered later. Every
// request can be repeated: it changes nothing, or nothing more the second time.
func worthRetrying(err error) bool {
	var answered *Error
	if errors.As(err, &answered) {
		return answered.Status == http.StatusTooManyRequests || answered.Status == http.StatusServiceUnavailable ||
			answered.Code == "request_in_progress"
	}
	return !errors.Is(err, errAnswer)
}

func retryAfterOf(err error) time.Duration {
	var answered *Error
	if errors.As(err, &answered) {
		return answered.RetryAfter
	}
	return 0
}

// pause waits before the next try, and reports whether that is worthwhile: the
// wait is not too long, and leaves time for a try.
func (c *Client) pause(ctx context.Context, try int, asked time.Duration) bool {
	if asked > maxWait {
		return false
	}
	wait := waitAfter(try, asked, maxWait)
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// waitAfter returns a random time, at least half of one that doubles, in
// addition to what the server asked for, so that clients that were refused
// together do not return together.
func waitAfter(try int, asked, longest time.Duration) time.Duration {
	backoff := longest
	if shift := try - 1; shift < 16 {
		backoff = min(firstWait<<shift, longest)
	}
	spread := backoff/2 + rand.N(backoff/2+1)
	if asked > 0 {
		return asked + spread/2
	}
	return spread
}
