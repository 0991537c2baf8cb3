package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// verify answers GET /api/v1/verify. HEAD is no method of it: to know the length of an answer costs a whole verification.
func (s *Server) verify(x *exchange, r *http.Request, grant *keyring.Grant) (answered bool) {
	started := time.Now()
	asked, err := readRequest(x.queryOf(r), s.config.Details)
	if err != nil {
		rateFields(x.Header(), grant.Rate())
		writeError(x, http.StatusBadRequest, err.Error())
		return false
	}
	x.noteVerification()
	result, ok := s.recall(r.Context(), asked)
	if !ok {
		if result, ok = s.ask(x, r, asked); !ok {
			return false
		}
	}
	if result.Details != nil && result.Details.Cached {
		grant.Cached()
	}
	rateFields(x.Header(), grant.Rate())
	writeResult(x, result, asked.details)
	if result.Success {
		s.count(grant.ID, result, started)
	}
	return result.Success
}

// recall returns a remembered result, where the client does not want a new one. It takes nobody's turn.
func (s *Server) recall(ctx context.Context, asked request) (engine.Result, bool) {
	if asked.fresh {
		return engine.Result{}, false
	}
	return s.config.Verifier.Recall(ctx, asked.email)
}

// ask verifies an address when it is its turn. It answers the request itself where that cannot be done.
func (s *Server) ask(x *exchange, r *http.Request, asked request) (engine.Result, bool) {
	if !s.slots.take(r.Context()) {
		s.refused("busy")
		writeBusy(x, "Too many verifications are running. Try again later.")
		return engine.Result{}, false
	}
	defer s.slots.give()

	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(asked))
	defer cancel()
	verify := s.config.Verifier.Verify
	if asked.fresh {
		verify = s.config.Verifier.VerifyAnew
	}
	result, err := verify(ctx, asked.email)
	switch {
	case err != nil && r.Context().Err() != nil:
		x.note(slog.Bool("cancelled", true))
		writeBusy(x, "The server is shutting down. Try again later.") // or the client has gone, and nobody reads this
		return result, false
	case err != nil:
		x.note(slog.String("error", err.Error()))
	}
	if errors.Is(err, engine.ErrBusy) {
		s.refused("busy")
		writeBusy(x, "Too many verifications wait for the mail host of this address. Try again later.")
		return result, false
	}
	return result, true
}

// writeResult answers 200 even when the verification could not be carried out: the record says so itself, by "success".
func writeResult(x *exchange, result engine.Result, details bool) {
	x.note(slog.String("domain", result.Domain), slog.String("result", string(result.Verdict)))
	if result.Details != nil {
		x.note(slog.String("reason", string(result.Details.Reason)))
	}
	if !details {
		result = result.WithoutDetails()
	}
	text, err := result.MarshalJSON() // encoding/json would read it through again
	if err != nil {
		panic(err) // a result of ours that is not JSON is a bug
	}
	writeEncoded(x, http.StatusOK, append(text, '\n'))
}

// count counts a verification that was answered.
func (s *Server) count(key string, result engine.Result, started time.Time) {
	took := time.Since(started)
	s.verified(result, took)
	if s.config.Record == nil {
		return
	}
	use := store.Use{Key: key, At: started, Result: string(result.Verdict), Duration: took}
	if d := result.Details; d != nil {
		use.Reason, use.Cached = string(d.Reason), d.Cached
	}
	s.config.Record(use)
}

// timeout is how long a verification may take: as long as the request says, but not longer than usual.
func (s *Server) timeout(asked request) time.Duration {
	if asked.timeout > 0 {
		return min(asked.timeout, s.config.Timeout)
	}
	return s.config.Timeout
}
