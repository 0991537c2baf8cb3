package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
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
	result, known := s.known(r.Context(), grant, asked, how, time.Now().Add(s.timeout(how)))
	if r.Context().Err() != nil {
		s.leaving(x)
		return false
	}
	paid := known && s.orphans.claim(orphanID(grant.ID, asked.address))
	units := 1
	if paid {
		units = 0
	}
	if err := grant.Pay(r.Context(), units); err != nil {
		grant.Free()
		s.refuse(x, r, rows.ScopeVerify, err)
		return false
	}
	if !known {
		var goesOn bool
		if result, goesOn, known = s.ask(x, r, grant, asked, how, started); !known {
			return goesOn
		}
	}
	s.settle(grant, result, paid, started)
	rateFields(x.Header(), grant.Rate())
	x.note(notesOf(result)...)
	writeRecord(x, how.shown(asked.answered(result)))
	return result.Success
}

// known returns the result of an orphan of the key, for which it waits if that
// ends until the deadline, or a remembered one, unless the client wants a new
// one. It takes no slot.
func (s *Server) known(
	ctx context.Context, grant *keyring.Grant, asked question, how options, deadline time.Time,
) (engine.Result, bool) {
	if one, found := s.orphans.find(orphanID(grant.ID, asked.address), deadline); found {
		select {
		case <-one.ended:
		case <-ctx.Done():
			return engine.Result{}, false
		}
		if one.result.Success {
			return *one.result, true
		}
	}
	if how.fresh {
		return engine.Result{}, false
	}
	return s.config.Verifier.Recall(ctx, asked.address)
}

// ask verifies an address when it gets a slot. If that cannot be done, it
// answers the request itself; the verification may go on without the client.
func (s *Server) ask(
	x *exchange, r *http.Request, grant *keyring.Grant, asked question, how options, started time.Time,
) (result engine.Result, goesOn, ok bool) {
	if !s.slots.take(r.Context()) {
		s.tooBusy(x)
		return result, false, false
	}
	defer s.slots.give()

	var answer engine.Result
	var err error
	t := startTask(r, s.timeout(how), func(ctx context.Context) { answer, err = s.verifier(how)(ctx, asked.address) })
	if !t.await(r) {
		goesOn = s.abandon(x, grant, t, []*orphan{newOrphan(grant.ID, asked.address, &answer)}, started)
		s.leaving(x)
		return result, goesOn, false
	}
	if err != nil {
		x.note(slog.String("error", err.Error()))
	}
	if errors.Is(err, engine.ErrBusy) {
		s.refused("busy")
		writeBusy(x, mailHostBusy, "Too many verifications wait for the mail host of this address. Try again later.")
		return result, false, false
	}
	return answer, false, true
}

// abandon lets a task go on whose client has gone. If there is no room for it,
// it ends the task and reports false.
func (s *Server) abandon(x *exchange, grant *keyring.Grant, t *task, some []*orphan, started time.Time) (goesOn bool) {
	request := slog.String("request_id", x.id)
	if s.orphans.adopt(grant.ID, t, some, func() { s.bury(grant, t, some, started, request) }) {
		x.note(slog.Bool("goes_on", true))
		return true
	}
	t.cancel(errGone)
	<-t.done
	return false
}

// bury counts an orphan that has ended.
func (s *Server) bury(grant *keyring.Grant, t *task, some []*orphan, started time.Time, request slog.Attr) {
	for _, one := range some {
		s.settle(grant, *one.result, false, started)
	}
	if t.fault != nil {
		s.logPanic(request, t.fault)
		return
	}
	for _, one := range some {
		line := append([]slog.Attr{request, slog.String("key_id", grant.ID)}, notesOf(*one.result)...)
		line = append(line, slog.Int64("duration_ms", time.Since(started).Milliseconds()))
		s.config.Logger.LogAttrs(context.Background(), slog.LevelInfo, "verified without the client", line...)
	}
}

// settle counts a verification, unless an orphan has paid for it. One that
// could not be carried out gives its unit back.
func (s *Server) settle(grant *keyring.Grant, result engine.Result, paid bool, started time.Time) {
	switch {
	case !result.Success:
		grant.Unanswered(1)
		return
	case paid || result.Details != nil && result.Details.Cached:
		grant.Cached()
	}
	if !paid {
		s.count(grant.ID, result, started)
	}
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

// notesOf is the outcome of a verification for the log.
func notesOf(result engine.Result) []slog.Attr {
	notes := []slog.Attr{slog.String("domain", result.Domain), slog.String("result", string(result.Verdict))}
	if result.Details != nil {
		notes = append(notes, slog.String("reason", string(result.Details.Reason)))
	}
	return notes
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
