package main

import (
	"context"
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
	rows := []string{unreadableMark + "too long", "a@example.test", unreadableMark + "a stray quote", "b@example.test"}
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

// TestToVerify: what is verified of a cell, and what comes of cells that do not hold one address.
func TestToVerify(t *testing.T) {
	for _, c := range []struct {
		cell, email string
		want        engine.Verdict // of a row about which nobody is asked
	}{
		{"a@b.example", "a@b.example", ""},
		{" Jane <a@b.example>\u200b", "a@b.example", ""},
		{"jane", "jane", ""},
		{"a@b.example; c@d.example", "a@b.example; c@d.example", engine.Several},
		{"N/A", "N/A", engine.Empty},
		{"", "", engine.Empty},
	} {
		row := toVerify(c.cell)
		result, found := unasked(row)
		if !found {
			result.Email = row
		}
		if result.Email != c.email || result.Verdict != c.want || found != (c.want != "") {
			t.Errorf("%q: %+v, %t", c.cell, result, found)
		}
	}
}
