package main

import (
	"context"
	"encoding"
	"fmt"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/engine"
)

// networkCheck says whether our own network is checked. YAML has words of its own for on and off.
type networkCheck engine.NetworkCheck

var _ encoding.TextUnmarshaler = (*networkCheck)(nil)

func (n *networkCheck) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "auto", "":
		*n = networkCheck(engine.NetworkCheckAuto)
	case "on", "true":
		*n = networkCheck(engine.NetworkCheckOn)
	case "off", "false":
		*n = networkCheck(engine.NetworkCheckOff)
	default:
		return fmt.Errorf("%q: use auto, on or off", text)
	}
	return nil
}

// networkFault is that our own network does not work, and what can be done about it.
type networkFault struct{ what string }

func (f networkFault) Error() string {
	return "the network does not work here, which is no fault of the addresses: " + f.what
}

// faultOf returns the fault of a network; nil: there is none.
func faultOf(s engine.NetworkStatus) error {
	switch {
	case s.Resolver.State == engine.CheckFailed:
		return networkFault{s.Resolver.Fault + ". " + resolverAdvice}
	case s.Port.State == engine.CheckFailed:
		return networkFault{s.Port.Fault + ". " + portAdvice}
	}
	return nil
}

const (
	resolverAdvice = "Name a DNS server that works with --resolver HOST:PORT, or use another network; --level syntax checks what can be checked without"
	portAdvice     = "--level dns checks what can be checked from here; the mailboxes can be checked from another network, or through a --proxy"
)

// networkStop ends a run when the network does not work and has not worked since the run began.
type networkStop struct {
	mu     sync.Mutex
	fault  error
	cancel context.CancelCauseFunc
}

// told is told how the network does.
func (s *networkStop) told(status engine.NetworkStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if status.Hopeless() == "" || s.fault != nil {
		return
	}
	s.fault = faultOf(status)
	if s.cancel != nil {
		s.cancel(s.fault)
	}
}

// ends has cancel end the run, at once if the network was found out not to work.
func (s *networkStop) ends(cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	if s.fault != nil {
		cancel(s.fault)
	}
}

// found returns why the run was ended, or would have been had it taken longer; nil: there is no reason.
func (s *networkStop) found() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}
