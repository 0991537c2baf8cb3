package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// verify answers GET /api/v1/verify. HEAD is no method of it: to know the length of an answer costs a whole verification.
func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	asked, err := readRequest(queryOf(r), s.config.Details)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	noteVerification(r)
	if result, ok := s.recall(r.Context(), asked); ok {
		s.writeResult(w, r, result, asked.details)
		return
	}
	if !s.slots.take(r.Context()) {
		writeBusy(w, "Too many verifications are running. Try again later.")
		return
	}
	defer s.slots.give()

	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(asked))
	defer cancel()
	verify := s.config.Verifier.Verify
	if asked.fresh {
		verify = s.config.Verifier.VerifyAnew
	}
	result, err := verify(ctx, asked.email)
	if err != nil && r.Context().Err() != nil {
		note(r, slog.Bool("cancelled", true))
		writeBusy(w, "The server is shutting down. Try again later.") // or the client has gone, and nobody reads this
		return
	}
	if err != nil {
		note(r, slog.String("error", err.Error()))
	}
	if errors.Is(err, engine.ErrBusy) {
		writeBusy(w, "Too many verifications wait for the mail host of this address. Try again later.")
		return
	}
	s.writeResult(w, r, result, asked.details)
}

// recall returns a remembered result, where the client does not want a new one. It takes nobody's turn.
func (s *Server) recall(ctx context.Context, asked request) (engine.Result, bool) {
	if asked.fresh {
		return engine.Result{}, false
	}
	return s.config.Verifier.Recall(ctx, asked.email)
}

// writeResult answers 200 even when the verification could not be carried out: the record says so itself, by "success".
func (s *Server) writeResult(w http.ResponseWriter, r *http.Request, result engine.Result, details bool) {
	note(r, slog.String("domain", result.Domain), slog.String("result", string(result.Verdict)))
	if result.Details != nil {
		note(r, slog.String("reason", string(result.Details.Reason)))
	}
	if !details {
		result = result.WithoutDetails()
	}
	writeJSON(w, http.StatusOK, result)
}

// timeout is how long a verification may take: as long as the request says, but not longer than usual.
func (s *Server) timeout(asked request) time.Duration {
	if asked.timeout > 0 {
		return min(asked.timeout, s.config.Timeout)
	}
	return s.config.Timeout
}
