//go:build unix

package jobs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestDraftOfAnotherNode: a list that one server has received is looked at and
// started on another, once, and its hour ends on both.
func TestDraftOfAnotherNode(t *testing.T) {
	clock := testkit.NewClock(time.Now())
	o := store.Options{DatabaseURL: storetest.Start(t).Database(t), Now: clock.Now}
	receives := newNode(t, openStore(t, o), Config{Verifier: &hosts{}, Now: clock.Now})
	starts := newNode(t, openStore(t, o), Config{Verifier: &hosts{}, Now: clock.Now})
	const count = 5000
	row := "someone@acme.example," + strings.Repeat("x", 1000) + "\n"
	list := "email,note\n" + strings.Repeat(row, count) // more than a segment
	keep := func() string {
		t.Helper()
		id, err := receives.KeepDraft(t.Context(), "ada", "people", receives.receive(list))
		check(t, err)
		return id
	}

	id := keep()
	draft, err := starts.Draft(t.Context(), id, "ada")
	check(t, err)
	spool, err := starts.OpenDraft(t.Context(), draft)
	check(t, err)
	defer spool.Close()
	j, err := starts.StartDraft(t.Context(), draft, spool, Request{By: rows.ByCommand("test"), Owner: "ada", Name: "people"})
	check(t, err)
	if j = receives.untilDone(j.ID); j.Rows != count || j.Addresses != 1 || draft.Segments < 2 {
		t.Errorf("%+v of %d segments", j, draft.Segments)
	}
	if _, err := receives.StartDraft(t.Context(), draft, receives.receive(list), Request{By: rows.ByCommand("test"), Owner: "ada"}); !errors.Is(err, rows.ErrNotFound) {
		t.Errorf("started again: %v", err)
	}

	id = keep()
	clock.Advance(time.Hour)
	for _, n := range []*node{receives, starts} {
		if _, err := n.Draft(t.Context(), id, "ada"); !errors.Is(err, rows.ErrNotFound) {
			t.Errorf("after its hour: %v", err)
		}
	}
}
