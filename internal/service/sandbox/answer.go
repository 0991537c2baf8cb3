package sandbox

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/shown"
)

// answerTo returns the result of an address, and how long it takes. It was
// asked for at a time, and the limit is how long that may be.
func answerTo(text string, asked time.Time, limit time.Duration) (result rcpt.Result, wait time.Duration) {
	e := engine.Evidence{
		Schema: engine.EvidenceSchema, Email: shown.Text(text), Level: engine.LevelSMTP,
		StartedAt: asked.UTC().Truncate(time.Millisecond),
	}
	mailbox, err := address.Read(text)
	if err != nil {
		e.Syntax = faultOf(text)
		return engine.Decide(e, engine.Policy{}), 0
	}
	e.Local, e.Domain, e.Mailbox = mailbox.Local(), mailbox.Domain(), mailbox.Mailbox()
	row := rowOf(e.Local)
	if row.wait > limit {
		row.wait, row.Reason = limit, rcpt.ReasonConnectionTimeout
	}
	e.Duration = row.wait
	return row.result(e), row.wait
}

// result is the row's result of an address. A row of an error has one, too, for
// lists: deliverable.
func (r Row) result(e engine.Evidence) rcpt.Result {
	reason := r.Reason
	if reason == "" {
		reason = rcpt.ReasonRecipientAccepted
	}
	if r.flag != "" {
		listed(r.flag)(&e)
	}
	if r.fix != nil {
		r.fix(&e)
	}
	lead, found := facts[reason]
	if found {
		lead(&e)
		return engine.Decide(e, engine.Policy{})
	}
	result := rcpt.Result{
		Email: e.Email, Local: e.Local, Domain: e.Domain, CheckedAt: e.StartedAt,
		Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(),
		Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown, Duration: e.Duration},
	}
	if wait := reason.RetryAfter(); wait > 0 {
		result.RetryAt = e.StartedAt.Add(e.Duration + wait)
	}
	return result
}
