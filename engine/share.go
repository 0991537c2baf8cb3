package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// share verifies an address, or waits for a verification of it that is in
// progress. Each caller has its own context: one that gives up does not end the
// verification for the others. One whose context has ended has what is known
// without asking anyone.
func (v *Verifier) share(ctx context.Context, address string, how GroupOptions) (rcpt.Result, error) {
	s := v.scope(how)
	ask := func(ctx context.Context) (answer flight.Answer[rcpt.Result]) {
		v.judgeAll(ctx, s, []string{address}, func(_ int, r rcpt.Result, err error) {
			answer.Value, answer.Err = r, err
		})
		return answer
	}
	var answer flight.Answer[rcpt.Result]
	if ctx.Err() != nil {
		answer = ask(ctx)
	} else {
		answer, _ = v.calls.Do(ctx, fmt.Sprintf("%s %v %s", s.level, s.allowed, address), ask)
	}
	result := answer.Value
	if result.Details == nil { // this caller gave up
		answer.Err = fmt.Errorf("engine: %w", answer.Err)
		result = v.notCarriedOut(address, answer.Err)
	}
	details := *result.Details // which other callers have, too
	result.Details = &details
	return result, answer.Err
}

// notCarriedOut is the result about an address of a caller that learned
// nothing but what is known without asking.
func (v *Verifier) notCarriedOut(address string, err error) rcpt.Result {
	started := time.Now()
	evidence := v.noEvidence(address, v.config.Level, v.config.Timeout, started)
	if mailbox, goesOn := v.read(reading.By(v.lists.Load()), address, &evidence); goesOn {
		evidence.DNS = v.knownHosts(mailbox.Domain())
	}
	evidence.end(started, err)
	return Decide(evidence, v.policy)
}
