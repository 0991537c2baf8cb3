package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/headway"
)

// networkStop ends a run if the network does not work and has not worked since
// the run began, and has it wait if it does not work any more.
type networkStop struct {
	down atomic.Value // headway.Fault

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
	s.down.Store(headway.FaultOf(status))
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

// what returns what does not work at the moment.
func (s *networkStop) what() headway.Fault {
	fault, _ := s.down.Load().(headway.Fault)
	return fault
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
