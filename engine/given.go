package engine

import (
	"context"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine/address"
)

// The results of texts that do not contain exactly one address. A [Verifier]
// never returns them: they are for callers that clean what people wrote
// ([address.Clean]). No mail host is asked about such a text.
const (
	VerdictSeveral Verdict = "several" // two addresses or more: which one is meant cannot be known
	VerdictEmpty   Verdict = "empty"   // no address: an empty cell, "N/A", a comment line
)

// notOne has the reasons of those results.
var notOne = map[Verdict]Reason{VerdictSeveral: ReasonSeveralAddresses, VerdictEmpty: ReasonNoAddress}

// VerifyText cleans a text from a person ([address.Clean]) and verifies the
// address in it. The result contains the given text if it is more than the
// address. A text with several addresses or none has the result
// [VerdictSeveral] or [VerdictEmpty], and v is not called.
func VerifyText(ctx context.Context, v interface {
	Verify(ctx context.Context, address string) (Result, error)
}, text string) (Result, error) {
	cleaned := address.Clean(text)
	switch {
	case cleaned.Several:
		return NotOne(VerdictSeveral, text), nil
	case cleaned.Address == "":
		return NotOne(VerdictEmpty, text), nil
	}
	result, err := v.Verify(ctx, cleaned.Address)
	return result.WithGiven(text), err
}

// NotOne returns the result of a text with several addresses or none; verdict
// is [VerdictSeveral] or [VerdictEmpty].
func NotOne(verdict Verdict, text string) Result { return NotAskedAbout(notOne[verdict], text) }

// NotAskedAbout returns the result of a text that is not put to a Verifier, for
// one of the reasons for that: [ReasonSeveralAddresses], [ReasonNoAddress],
// [ReasonUnclearAddress] or [ReasonInvalidRow].
func NotAskedAbout(reason Reason, text string) Result {
	row := rows[reason]
	return Result{
		Email: shown(text), Success: true, Verdict: row.verdict, Reason: reason, Message: row.message,
		Details: &Details{Reason: reason, CatchAll: CatchAllUnknown, CheckedAt: time.Now().UTC()},
	}
}

// WithGiven returns r with Details.Given set to the text from which its address
// was cleaned, unless they are the same. It does not change the details that r
// points to, which others may share.
func (r Result) WithGiven(text string) Result {
	text = shown(text)
	if r.Details == nil || text == r.Email {
		return r
	}
	details := *r.Details
	details.Given = text
	r.Details = &details
	return r
}

// shown is a text as a result has it: valid UTF-8, and not endless.
func shown(text string) string { return bounded(strings.ToValidUTF8(text, "\uFFFD")) }
