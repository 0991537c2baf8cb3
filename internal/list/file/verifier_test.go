package file

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
)

// recorder records which addresses it verifies, and how.
type recorder struct {
	asked []string
	told  engine.GroupOptions
}

func (n *recorder) Verify(_ context.Context, address string) (engine.Result, error) {
	n.asked = append(n.asked, address)
	return engine.Result{Email: address}, nil
}

func (n *recorder) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result engine.Result, err error),
) {
	n.told = o
	for i, address := range addresses {
		result, err := n.Verify(ctx, address)
		done(i, result, err)
	}
}

// TestUnreadableRows: a row that cannot be read has its own result, alone and
// among others, and the engine does not see it.
func TestUnreadableRows(t *testing.T) {
	rows := []string{unreadableMark + "too long", "a@example.test", unreadableMark + "a stray quote", "b@example.test"}
	check := func(i int, result engine.Result, err error) {
		t.Helper()
		if reason, bad := strings.CutPrefix(rows[i], unreadableMark); bad && (!result.Reason.Failed() || !strings.Contains(result.Message, reason)) ||
			!bad && result.Email != rows[i] || err != nil {
			t.Errorf("%q: %+v, %v", rows[i], result, err)
		}
	}
	below := &recorder{}
	v := Verifier{below}
	calls := 0
	v.VerifyGroup(t.Context(), rows, engine.GroupOptions{}, func(i int, result engine.Result, err error) {
		calls++
		check(i, result, err)
	})
	for i, row := range rows {
		result, err := v.Verify(t.Context(), row)
		check(i, result, err)
	}
	if want := []string{rows[1], rows[3], rows[1], rows[3]}; calls != len(rows) || !slices.Equal(below.asked, want) {
		t.Errorf("%d calls; the engine verified %q", calls, below.asked)
	}
}

// TestOptionsArePassedOn: the engine knows the lane of the list, and tells who
// waits.
func TestOptionsArePassedOn(t *testing.T) {
	below, waits := &recorder{}, false
	o := engine.GroupOptions{Lane: &engine.Lane{}, Waits: func(yes bool) { waits = yes }}
	rows := []string{unreadableMark + "too long", "a@example.test", "b@example.test"}
	Verifier{below}.VerifyGroup(t.Context(), rows, o, func(int, engine.Result, error) {})
	if below.told.Lane != o.Lane || below.told.Waits == nil {
		t.Fatalf("the engine is told %+v", below.told)
	}
	if below.told.Waits(true); !waits {
		t.Error("not told who waits")
	}
}

// TestToVerify: the address in a cell, and the result of a cell that does not
// hold one address.
func TestToVerify(t *testing.T) {
	for _, c := range []struct {
		cell, email string
		want        engine.Verdict // of a cell that needs no verification
	}{
		{"a@b.example", "a@b.example", ""},
		{" Jane <a@b.example>\u200b", "a@b.example", ""},
		{"jane", "jane", ""},
		{"a@b.example; c@d.example", "a@b.example; c@d.example", engine.VerdictUnknown},
		{"N/A", "N/A", engine.VerdictUnknown},
		{"", "", engine.VerdictUnknown},
	} {
		row := toVerify(list.Row{Addresses: []string{c.cell}}, 0)
		result, found := withoutEngine(row)
		if !found {
			result.Email = row
		}
		if result.Email != c.email || result.Verdict != c.want || found != (c.want != "") {
			t.Errorf("%q: %+v, %t", c.cell, result, found)
		}
	}
}
