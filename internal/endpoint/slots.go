package endpoint

import (
	"context"
	"time"
)

// slots limits the verifications in progress and the requests that wait.
type slots struct {
	taken   chan struct{}
	waiting chan struct{}
	wait    time.Duration
}

// newSlots allows as many waiting requests as verifications in progress: a
// longer queue would hold connections for requests that are refused in the end.
func newSlots(n int, wait time.Duration) slots {
	return slots{taken: make(chan struct{}, n), waiting: make(chan struct{}, n), wait: wait}
}

// take takes a slot, waiting for a while unless too many wait already. The
// caller returns it if take reports true.
func (s slots) take(ctx context.Context) bool {
	select {
	case s.taken <- struct{}{}:
		return true
	default:
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return false
	}
	timeout := time.NewTimer(s.wait)
	defer timeout.Stop()
	select {
	case s.taken <- struct{}{}:
		return true
	case <-timeout.C:
	case <-ctx.Done():
	}
	return false
}

// tryTake takes a slot if one is free.
func (s slots) tryTake() bool {
	select {
	case s.taken <- struct{}{}:
		return true
	default:
		return false
	}
}

// Load is the number of verifications that run and wait.
type Load struct {
	Running int // verifications in progress
	Waiting int // requests that wait until one of them ends
	Limit   int // most verifications in progress
}

// Load returns the current load.
func (e *Endpoint) Load() Load {
	return Load{Running: len(e.slots.taken), Waiting: len(e.slots.waiting), Limit: cap(e.slots.taken)}
}

func (s slots) give() { <-s.taken }
