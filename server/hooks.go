package server

import (
	"time"

	"github.com/rcpt/rcpt/engine"
)

// Hooks are told what the server does, on the goroutine that does it: they must be quick and safe for concurrent use. A nil func is not called.
type Hooks struct {
	// Answered is told each request, by the route that took it.
	Answered func(route string, status int, took time.Duration)
	// Verified is told each verification that was answered, its result with details.
	Verified func(result engine.Result, took time.Duration)
	// Refused is told why a request was not admitted: "unauthorized", "forbidden", "rate", "concurrency", "quota", "store" or "busy".
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
