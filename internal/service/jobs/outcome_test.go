package jobs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestOutcomeHasEveryField: a row of a list keeps a result but for most of its
// details.
func TestOutcomeHasEveryField(t *testing.T) {
	var want engine.Result
	testkit.Fill(&want)
	want.Email, want.User, want.Domain = "ada@acme.example", "ada", "acme.example"
	d := want.Details
	want.Reason = d.Reason
	want.Details = &engine.Details{
		Reason: d.Reason, RetryAfter: d.RetryAfter, Suggestion: d.Suggestion, CatchAll: d.CatchAll,
	}
	if diff := cmp.Diff(want, outcomeOf(want).result(want.Email)); diff != "" {
		t.Errorf("-result +outcome:\n%s", diff)
	}
}
