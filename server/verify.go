package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/keyring"
	"github.com/rcpt/rcpt/internal/store/rows"
)

// verify answers GET and POST /api/v1/verify. HEAD is not allowed, because the
// length of the response costs a whole verification.
func (s *Server) verify(x *exchange, r *http.Request, grant *keyring.Grant) (answered bool) {
	started := time.Now()
	if r.Method == http.MethodPost {
		asked, err := readPosted(x, r, s.config.Details)
		switch {
		case err != nil:
			s.mistaken(x, grant, err)
			return false
		case asked.several:
			return s.verifyAll(x, r, grant, asked, started)
		}
		return s.verifyOne(x, r, grant, asked.questions[0], asked.options, started)
	}
	asked, how, err := readQuestion(x.queryOf(r), s.config.Details)
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	return s.verifyOne(x, r, grant, asked, how, started)
}

// verifyOne answers with the record of one address.
func (s *Server) verifyOne(
	x *exchange, r *http.Request, grant *keyring.Grant, asked question, how options, started time.Time,
) (answered bool) {
	x.noteVerification()
	result, ok := s.recall(r.Context(), asked, how)
	if !ok {
		if result, ok = s.ask(x, r, asked, how); !ok {
			return false
		}
	}
	if result.Details != nil && result.Details.Cached {
		grant.Cached()
	}
	rateFields(x.Header(), grant.Rate())
	x.noteResult(result)
	writeRecord(x, how.shown(asked.answered(result)))
	if result.Success {
		s.count(grant.ID, result, started)
	}
	return result.Success
}

// recall returns a remembered result, unless the client wants a new one. It
// takes no slot.
func (s *Server) recall(ctx context.Context, asked question, how options) (engine.Result, bool) {
	if how.fresh {
		return engine.Result{}, false
	}
	return s.config.Verifier.Recall(ctx, asked.address)
}

// ask verifies an address when it gets a slot. If that cannot be done, it
// answers the request itself.
func (s *Server) ask(x *exchange, r *http.Request, asked question, how options) (engine.Result, bool) {
	if !s.slots.take(r.Context()) {
		s.tooBusy(x)
		return engine.Result{}, false
	}
	defer s.slots.give()

	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(how))
	defer cancel()
	result, err := s.verifier(how)(ctx, asked.address)
	switch {
	case err != nil && r.Context().Err() != nil:
		s.leaving(x)
		return result, false
	case err != nil:
		x.note(slog.String("error", err.Error()))
	}
	if errors.Is(err, engine.ErrBusy) {
		s.refused("busy")
		writeBusy(x, mailHostBusy, "Too many verifications wait for the mail host of this address. Try again later.")
		return result, false
	}
	return result, true
}

// verifier returns the function that verifies one address.
func (s *Server) verifier(how options) func(context.Context, string) (engine.Result, error) {
	if how.fresh {
		return func(ctx context.Context, address string) (engine.Result, error) {
			return s.config.Verifier.VerifyWith(ctx, address, engine.VerifyOptions{Fresh: true})
		}
	}
	return s.config.Verifier.Verify
}

func (s *Server) tooBusy(x *exchange) {
	s.refused("busy")
	writeBusy(x, serverBusy, "Too many verifications are running. Try again later.")
}

// leaving answers a request that was cancelled: the server shuts down, or the
// client closed the connection and does not read the response.
func (s *Server) leaving(x *exchange) {
	x.note(slog.Bool("cancelled", true))
	writeBusy(x, shuttingDown, "The server is shutting down. Try again later.")
}

// noteResult adds the outcome of a verification to the line of the log.
func (x *exchange) noteResult(result engine.Result) {
	x.note(slog.String("domain", result.Domain), slog.String("result", string(result.Verdict)))
	if result.Details != nil {
		x.note(slog.String("reason", string(result.Details.Reason)))
	}
}

// writeRecord answers 200 even if the verification could not be carried out:
// the field "success" of the record says so.
func writeRecord(x *exchange, result engine.Result) {
	writeEncoded(x, http.StatusOK, append(recordOf(result), '\n'))
}

// recordOf returns the record as JSON.
func recordOf(result engine.Result) []byte {
	text, err := result.MarshalJSON() // encoding/json would read it through again
	if err != nil {
		panic(err) // a result of ours that is not JSON is a bug
	}
	return text
}

// count counts a verification that was answered.
func (s *Server) count(key string, result engine.Result, started time.Time) {
	took := time.Since(started)
	s.verified(result, took)
	if s.config.Record == nil {
		return
	}
	use := rows.Use{Key: key, At: started, Result: string(result.Verdict), Duration: took}
	if d := result.Details; d != nil {
		use.Reason, use.Cached = string(d.Reason), d.Cached
	}
	s.config.Record(use)
}

// timeout is how long a verification may take: as long as the request says, but
// not longer than usual.
func (s *Server) timeout(how options) time.Duration {
	if how.timeout > 0 {
		return min(how.timeout, s.config.Timeout)
	}
	return s.config.Timeout
}
