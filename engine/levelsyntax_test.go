package engine_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// TestLevelSyntaxNeedsNobody checks that what needs no network has its answer
// under a context that has ended, and after Close.
func TestLevelSyntaxNeedsNobody(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	times := cmp.Options{cmpopts.IgnoreFields(rcpt.Result{}, "CheckedAt"), cmpopts.IgnoreFields(rcpt.Details{}, "Duration")}
	for name, tt := range map[string]struct {
		config engine.Config
		level  engine.Level // of the call
	}{
		"of the Verifier": {engine.Config{Level: engine.LevelSyntax}, ""},
		"of the call":     {engine.Config{}, engine.LevelSyntax},
	} {
		v, err := engine.New(tt.config)
		if err != nil {
			t.Fatal(err)
		}
		how := engine.VerifyOptions{Level: tt.level, Clean: true}
		verify := func(ctx context.Context, text string) rcpt.Result {
			r, err := v.VerifyWith(ctx, text, how)
			if err != nil {
				t.Errorf("level %s: %q: %v", name, text, err)
			}
			return r
		}
		texts := []string{"jane@example.com", "Jane <jane@gmial.com>", "jane@gmail", "jane", "n/a", "jane@mailinator.com"}
		var want []rcpt.Result
		for _, text := range texts {
			want = append(want, verify(t.Context(), text))
		}
		for i, text := range texts {
			if diff := cmp.Diff(want[i], verify(ended, text), times); diff != "" {
				t.Errorf("level %s: under a context that has ended:\n%s", name, diff)
			}
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if diff := cmp.Diff(want[i], verify(t.Context(), text), times); diff != "" {
				t.Errorf("level %s: after Close:\n%s", name, diff)
			}
		}
	}
}
