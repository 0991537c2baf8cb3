package main

import (
	"context"
	"slices"
	"sync"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
)

// networkStop ends a run if the network does not work and has not worked since
// the run began.
type networkStop struct {
	mu     sync.Mutex
	fault  error
	cancel context.CancelCauseFunc
}

// isHopeless reports whether something does not work that has never worked
// since the Verifier was made, so that it is useless to go on.
func isHopeless(s engine.NetworkStatus) bool {
	return slices.ContainsFunc([]engine.Check{s.Resolver, s.Port}, func(c engine.Check) bool {
		return c.State == engine.CheckFailed && !c.EverWorked
	})
}

// observe takes a new status of the network.
func (s *networkStop) observe(status engine.NetworkStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !isHopeless(status) || s.fault != nil {
		return
	}
	s.fault = doctor.NetworkError(status)
	if s.cancel != nil {
		s.cancel(s.fault)
	}
}

// cancelWith sets the function that ends the run, and calls it if the network
// has failed already.
func (s *networkStop) cancelWith(cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	if s.fault != nil {
		cancel(s.fault)
	}
}

// failure returns the error for which the run was ended, or nil.
func (s *networkStop) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}
