package api

import (
	"time"

	"github.com/rcpt/rcpt/engine"
)

// Hooks are called when the server does something, on the goroutine that does
// it. They must be quick and safe for concurrent use. A nil func is not called.
type Hooks struct {
	// Answered is called for each request, with its route.
	Answered func(route string, status int, took time.Duration)
	// Verified is called for each verification that was answered, with the
	// details of its result.
	Verified func(result engine.Result, took time.Duration)
	// Refused is called with the reason why a request was not admitted:
	// "unauthorized", "forbidden", "rate", "concurrency", "quota", "store" or
	// "busy".
	Refused func(why string)
}

func (s *Server) answered(route string, status int, took time.Duration) {
	if s.config.Hooks.Answered != nil {
		s.config.Hooks.Answered(route, status, took)
	}
}

func (s *Server) verified(result engine.Result, took time.Duration) {
	if s.config.Hooks.Verified != nil {
		s.config.Hooks.Verified(result, took)
	}
}

func (s *Server) refused(why string) {
	if s.config.Hooks.Refused != nil {
		s.config.Hooks.Refused(why)
	}
}
