package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/answered"
	"github.com/rcpt/rcpt/internal/exchange"
)

// Answer answers a request of a client that was let in, and reports whether it
// counts as answered. HEAD is not allowed, because the length of the response
// costs a whole verification.
func (e *Endpoint) Answer(x *exchange.Exchange, r *http.Request, grant Grant) (answered bool) {
	started := time.Now()
	if r.Method == http.MethodPost {
		asked, err := readPosted(x, r, e.config.Details)
		switch {
		case err != nil:
			e.mistaken(x, grant, err)
			return false
		case asked.several:
			return e.verifyAll(x, r, grant, asked, started)
		}
		return e.verifyOne(x, r, grant, asked.questions[0], asked.options, started)
	}
	asked, how, err := readQuestion(x.QueryOf(r), e.config.Details)
	if err != nil {
		e.mistaken(x, grant, err)
		return false
	}
	return e.verifyOne(x, r, grant, asked, how, started)
}

// verifyOne answers with the record of one address.
func (e *Endpoint) verifyOne(
	x *exchange.Exchange, r *http.Request, grant Grant, asked question, how options, started time.Time,
) (answered bool) {
	x.NoteVerification()
	if err := e.fails(asked); err != nil {
		grant.Free()
		e.config.Refuse(x, r, err)
		return false
	}
	result, known := e.known(r.Context(), grant, asked, how, time.Now().Add(e.timeout(how)))
	if r.Context().Err() != nil {
		e.leaving(x)
		return false
	}
	paid := known && e.orphans.claim(orphanID(grant.ID(), asked.address))
	units := 1
	if paid {
		units = 0
	}
	if err := grant.Pay(r.Context(), units); err != nil {
		grant.Free()
		e.config.Refuse(x, r, err)
		return false
	}
	if !known {
		var goesOn bool
		if result, goesOn, known = e.ask(x, r, grant, asked, how, started); !known {
			return goesOn
		}
	}
	e.settle(r.Context(), grant, result, paid, started)
	grant.Describe(x.Header())
	x.Note(notesOf(result)...)
	writeRecord(x, how.shown(asked.answered(result)))
	return !result.Reason.Failed()
}

// known returns the result of an orphan of the key, for which it waits if that
// ends until the deadline, or a remembered one, unless the client wants a new
// one. It takes no slot.
func (e *Endpoint) known(
	ctx context.Context, grant Grant, asked question, how options, deadline time.Time,
) (rcpt.Result, bool) {
	if one, found := e.orphans.find(orphanID(grant.ID(), asked.address), deadline); found {
		select {
		case <-one.ended:
		case <-ctx.Done():
			return rcpt.Result{}, false
		}
		if !one.result.Reason.Failed() {
			return *one.result, true
		}
	}
	if how.fresh {
		return rcpt.Result{}, false
	}
	return e.config.Verifier.Recall(ctx, asked.address)
}

// ask verifies an address when it gets a slot. If that cannot be done, it
// answers the request itself; the verification may go on without the client.
func (e *Endpoint) ask(
	x *exchange.Exchange, r *http.Request, grant Grant, asked question, how options, started time.Time,
) (result rcpt.Result, goesOn, ok bool) {
	if !e.slots.take(r.Context()) {
		e.tooBusy(x)
		return result, false, false
	}
	defer e.slots.give()

	answer := noAnswer
	var err error
	o := engine.VerifyOptions{Fresh: how.fresh, Timeout: e.timeout(how)}
	t := startTask(r, o.Timeout, func(ctx context.Context) {
		answer, err = e.config.Verifier.VerifyWith(ctx, asked.address, o)
		answer = answered.Result(asked.address, answer, err)
	})
	if !t.await(r) {
		goesOn = e.abandon(x, grant, t, []*orphan{newOrphan(grant.ID(), asked.address, &answer)}, started)
		e.leaving(x)
		return result, goesOn, false
	}
	if err != nil {
		x.Note(slog.String("error", err.Error()))
	}
	if err != nil && (errors.Is(err, engine.ErrBusy) || answer.Reason == rcpt.ReasonBusy) {
		e.busy()
		MailHostBusy(x)
		return result, false, false
	}
	return answer, false, true
}

// abandon lets a task go on whose client has gone. If there is no room for it,
// it ends the task and reports false.
func (e *Endpoint) abandon(x *exchange.Exchange, grant Grant, t *task, some []*orphan,
	started time.Time) (goesOn bool) {
	if e.orphans.adopt(grant.ID(), t, some, func() { e.bury(grant, t, some, started, x.ID) }) {
		x.Note(slog.Bool("goes_on", true))
		return true
	}
	t.cancel(errGone)
	<-t.done
	return false
}

// bury counts an orphan that has ended.
func (e *Endpoint) bury(grant Grant, t *task, some []*orphan, started time.Time, request string) {
	for _, one := range some {
		e.settle(context.Background(), grant, *one.result, false, started)
	}
	if t.fault != nil {
		exchange.LogPanic(e.config.Logger, request, t.fault)
		return
	}
	for _, one := range some {
		line := append([]slog.Attr{slog.String("request_id", request), slog.String("key_id", grant.ID())},
			notesOf(*one.result)...)
		line = append(line, slog.Int64("duration_ms", time.Since(started).Milliseconds()))
		e.config.Logger.LogAttrs(context.Background(), slog.LevelInfo, "verified without the client", line...)
	}
}

// settle counts a verification, unless an orphan has paid for it. One that
// could not be carried out gives its unit back.
func (e *Endpoint) settle(
	ctx context.Context, grant Grant, result rcpt.Result, paid bool, started time.Time,
) {
	switch {
	case result.Reason.Failed():
		grant.Unanswered(1)
		return
	case paid || result.Details != nil && result.Details.Cached:
		grant.Cached()
	}
	if !paid {
		e.count(ctx, grant.ID(), result, started)
	}
}

// noAnswer is the result of a verification that has not ended, or panics.
var noAnswer = rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonInternalError}

// mistaken answers an invalid request, which does not count against the limits
// of its client.
func (e *Endpoint) mistaken(x *exchange.Exchange, grant Grant, err error) {
	grant.Free()
	grant.Describe(x.Header())
	x.Fault(err)
}

// fails returns the error of the first question that has one.
func (e *Endpoint) fails(asked ...question) error {
	if e.config.Fails == nil {
		return nil
	}
	for _, q := range asked {
		if err := e.config.Fails(q.address); err != nil {
			return err
		}
	}
	return nil
}

func (e *Endpoint) busy() {
	if e.config.Busy != nil {
		e.config.Busy()
	}
}

func (e *Endpoint) tooBusy(x *exchange.Exchange) {
	e.busy()
	ServerBusy(x)
}

// ServerBusy answers that too many verifications are running.
func ServerBusy(x *exchange.Exchange) {
	x.Busy(exchange.ServerBusy, "Too many verifications are running. Try again later.")
}

// MailHostBusy answers that too many verifications wait for a mail host.
func MailHostBusy(x *exchange.Exchange) {
	x.Busy(exchange.MailHostBusy, "Too many verifications wait for the mail host of this address. Try again later.")
}

// leaving answers a request that was cancelled: the server shuts down, or the
// client closed the connection and does not read the response.
func (e *Endpoint) leaving(x *exchange.Exchange) {
	x.Note(slog.Bool("cancelled", true))
	x.Busy(exchange.ShuttingDown, "The server is shutting down. Try again later.")
}

// notesOf is the outcome of a verification for the log.
func notesOf(result rcpt.Result) []slog.Attr {
	return []slog.Attr{
		slog.String("domain", result.Domain), slog.String("result", string(result.Verdict)),
		slog.String("reason", string(result.Reason)),
	}
}

// writeRecord answers 200 even if the verification could not be carried out:
// the field "success" of the record says so.
func writeRecord(x *exchange.Exchange, result rcpt.Result) {
	x.Encoded(http.StatusOK, append(recordOf(result), '\n'))
}

// recordOf returns the record as JSON.
func recordOf(result rcpt.Result) []byte {
	text, err := result.MarshalJSON() // encoding/json would read it through again
	if err != nil {
		panic(err) // a result of ours that is not JSON is a bug
	}
	return text
}

// count reports a verification that was answered.
func (e *Endpoint) count(ctx context.Context, client string, result rcpt.Result, started time.Time) {
	if e.config.Verified != nil {
		e.config.Verified(ctx, Verification{Client: client, Began: started, Took: time.Since(started), Result: result})
	}
}

// timeout is how long a verification may take: as long as the request says, but
// not longer than usual.
func (e *Endpoint) timeout(how options) time.Duration {
	if how.timeout > 0 {
		return min(how.timeout, e.config.Timeout)
	}
	return e.config.Timeout
}
