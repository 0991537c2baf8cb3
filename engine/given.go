package engine

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/shown"
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
	return Result{
		Email: shown.Text(text), Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(),
		CheckedAt: time.Now().UTC(), Details: &Details{CatchAll: CatchAllUnknown},
	}
}
