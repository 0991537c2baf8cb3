package server

import (
	"context"
	"time"
)

// slots bounds how much runs at a time.
type slots struct {
	taken chan struct{}
	wait  time.Duration
}

func newSlots(n int, wait time.Duration) slots {
	return slots{taken: make(chan struct{}, n), wait: wait}
}

// take takes a slot, waiting a while for one. The caller gives it back when it reports true.
func (s slots) take(ctx context.Context) bool {
	patience := time.NewTimer(s.wait)
	defer patience.Stop()
	select {
	case s.taken <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}

func (s slots) give() { <-s.taken }
