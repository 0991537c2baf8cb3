package server

import (
	"context"
	"time"
)

// slots bounds how much runs at a time, and how much waits for its turn.
type slots struct {
	taken   chan struct{}
	waiting chan struct{}
	wait    time.Duration
}

// newSlots lets as many wait as may run: a longer queue would hold connections
// for requests that are refused in the end.
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

// Load is how much of what may run at a time does.
type Load struct {
	Running int // verifications
	Waiting int // for one of them to end
	Limit   int // of those that run
}

// Load counts.
func (s *Server) Load() Load {
	return Load{Running: len(s.slots.taken), Waiting: len(s.slots.waiting), Limit: cap(s.slots.taken)}
}

func (s slots) give() { <-s.taken }
