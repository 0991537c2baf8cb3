package engine

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/sys/flight"
)

// share verifies an address, or waits for a verification of it that is in
// progress. Each caller has its own context: one that gives up does not end the
// verification for the others, and one with more time than the verification
// had asks once more where that may help.
func (v *Verifier) share(ctx context.Context, address string, how GroupOptions) (Result, error) {
	s := v.scope(how)
	key := string(s.level) + " " + address
	answer, _ := v.calls.Do(ctx, key, func(ctx context.Context) flight.Answer[Result] {
		var answer flight.Answer[Result]
		v.judgeAll(ctx, s, []string{address}, func(_ int, r Result, err error) {
			answer.Value, answer.Err = r, err
		})
		answer.Settled = answer.Value.Settled(ctx, v.config.Timeout)
		return answer
	})
	result := answer.Value
	if result.Details == nil { // this caller gave up
		result = v.notCarriedOut(address, answer.Err)
	}
	details := *result.Details // which other callers have, too
	result.Details = &details
	return result, answer.Err
}

// notCarriedOut is the result about an address of a caller that learned
// nothing but what is known without asking.
func (v *Verifier) notCarriedOut(address string, err error) Result {
	started := time.Now()
	evidence := v.noEvidence(address, v.config.Level, started)
	if mailbox, goesOn, _ := v.read(&suggester{known: v.lists.Load()}, address, &evidence); goesOn {
		evidence.DNS = v.knownHosts(mailbox.Domain())
	}
	evidence.end(started, err)
	return Decide(evidence, v.policy)
}
