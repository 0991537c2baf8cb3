package api

import (
	"context"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/endpoint"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Hooks are called when the server does something, on the goroutine that does
// it. They must be quick and safe for concurrent use. A nil func is not called.
type Hooks struct {
	// Answered is called for each request, with its route, but for those of
	// test keys.
	Answered func(route string, status int, took time.Duration)
	// Verified is called for each verification that was answered, with the
	// details of its result.
	Verified func(result rcpt.Result, took time.Duration)
	// Refused is called with the reason why a request was not admitted:
	// "unauthorized", "forbidden", "rate", "concurrency", "quota", "store" or
	// "busy".
	Refused func(why string)
}

// verified reports an answered verification to the hook, and to what counts the
// usage of keys.
func (s *Server) verified(_ context.Context, v endpoint.Verification) {
	if s.config.Hooks.Verified != nil {
		s.config.Hooks.Verified(v.Result, v.Took)
	}
	if s.config.Record == nil {
		return
	}
	use := rows.Use{
		Key: v.Client, At: v.Began, Result: string(v.Result.Verdict), Reason: string(v.Result.Reason), Duration: v.Took,
		Cached: v.Result.Details != nil && v.Result.Details.Cached,
	}
	s.config.Record(use)
}

func (s *Server) refused(why string) {
	if s.config.Hooks.Refused != nil {
		s.config.Hooks.Refused(why)
	}
}
