package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rcpt/rcpt/engine"
)

// echo is a verifier that gives every address the same result.
type echo struct {
	asked   []string
	details *engine.Details
	err     error
}

func (e *echo) Verify(_ context.Context, address string) (engine.Result, error) {
	e.asked = append(e.asked, address)
	return engine.Result{Email: address, Verdict: engine.VerdictDeliverable, Details: e.details}, e.err
}

func TestVerifyText(t *testing.T) {
	for _, tt := range []struct {
		text, email, given string
		verdict            engine.Verdict
	}{
		{"jane@a.example", "jane@a.example", "", engine.VerdictDeliverable},
		{"Jane <jane@a.example>", "jane@a.example", "Jane <jane@a.example>", engine.VerdictDeliverable},
		{"jane", "jane", "", engine.VerdictDeliverable}, // for the verifier to judge
		{"a@b.example; c@d.example", "a@b.example; c@d.example", "", engine.VerdictSeveral},
		{" n/a", " n/a", "", engine.VerdictEmpty},
	} {
		v := &echo{details: &engine.Details{}}
		r, err := engine.VerifyText(t.Context(), v, tt.text)
		if err != nil || r.Email != tt.email || r.Details.Given != tt.given || r.Verdict != tt.verdict {
			t.Errorf("%q: %+v, %+v, %v", tt.text, r, r.Details, err)
		}
		if asked := tt.verdict == engine.VerdictDeliverable; (len(v.asked) > 0) != asked {
			t.Errorf("%q: asked about %q", tt.text, v.asked)
		}
		if v.details.Given != "" {
			t.Errorf("%q: the verifier's own details are changed", tt.text)
		}
	}
	failing := &echo{err: errors.New("no")}
	if r, err := engine.VerifyText(t.Context(), failing, " jane@a.example"); err == nil || r.Email != "jane@a.example" {
		t.Errorf("%+v, %v", r, err)
	}
}
