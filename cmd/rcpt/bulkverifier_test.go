package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/engine"
)

// noted notes which addresses it is asked about.
type noted struct{ asked []string }

func (n *noted) Verify(_ context.Context, address string) (engine.Result, error) {
	n.asked = append(n.asked, address)
	return engine.Result{Email: address, Success: true}, nil
}

func (n *noted) VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error)) {
	for i, address := range addresses {
		result, err := n.Verify(ctx, address)
		done(i, result, err)
	}
}

// TestUnreadableRows holds that rows that cannot be read have their answers, each its own, by itself and among others, and that nobody is asked.
func TestUnreadableRows(t *testing.T) {
	rows := []string{unreadable(errors.New("too long")), "a@example.test", unreadable(errors.New("a stray quote")), "b@example.test"}
	check := func(i int, result engine.Result, err error) {
		t.Helper()
		if reason, bad := strings.CutPrefix(rows[i], unreadableMark); bad && (result.Success || !strings.Contains(result.Message, reason)) ||
			!bad && result.Email != rows[i] || err != nil {
			t.Errorf("%q: %+v, %v", rows[i], result, err)
		}
	}
	below := &noted{}
	v := rowVerifier{below}
	told := 0
	v.VerifyTogether(t.Context(), rows, func(i int, result engine.Result, err error) {
		told++
		check(i, result, err)
	})
	for i, row := range rows {
		result, err := v.Verify(t.Context(), row)
		check(i, result, err)
	}
	if want := []string{rows[1], rows[3], rows[1], rows[3]}; told != len(rows) || !slices.Equal(below.asked, want) {
		t.Errorf("told of %d; asked about %q", told, below.asked)
	}
}
