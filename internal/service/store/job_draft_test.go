//go:build unix

package store

import (
	"errors"
	"testing"
	"time"
)

// TestDrafts: a draft is its owner's, is taken once, waits again if nothing
// came of it, and is deleted with its list when its time is over or the node
// that took it is lost.
func TestDrafts(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now, o.Retention.Drafts = clock.Now, 25*time.Minute
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		add := func(owner string) string {
			t.Helper()
			clock.Advance(time.Millisecond)
			j, err := s.BeginJob(ctx, "node", Job{Owner: owner, Name: "a list"}, 0, nil)
			check(t, err)
			check(t, s.AddSegment(ctx, j.ID, 0, 0, []byte("octets"), nil))
			check(t, s.KeepDraft(ctx, j.ID, 1, 6))
			return j.ID
		}
		first, second, other := add("ada"), add("ada"), add("ben")
		if j, err := s.Draft(ctx, first, "ada"); err != nil || j.Rows != 6 || j.Segments != 1 || j.Name != "a list" {
			t.Errorf("%+v %v", j, err)
		}
		if _, err := s.Draft(ctx, first, "ben"); !errors.Is(err, ErrNotFound) {
			t.Errorf("of another owner: %v", err)
		}
		if _, err := s.Job(ctx, first); !errors.Is(err, ErrNotFound) {
			t.Errorf("as a job: %v", err)
		}
		if all, err := s.Jobs(ctx, JobQuery{Limit: 9}); err != nil || len(all) != 0 {
			t.Errorf("jobs: %+v %v", all, err)
		}
		if all, err := s.Drafts(ctx, "ada"); err != nil || len(all) != 2 || all[0].ID != first || all[1].ID != second {
			t.Errorf("hers: %+v %v", all, err)
		}
		if all, err := s.Drafts(ctx, ""); err != nil || len(all) != 3 || all[2].ID != other {
			t.Errorf("all: %+v %v", all, err)
		}
		if err := s.TakeDraft(ctx, "node", first, "ben"); !errors.Is(err, ErrNotFound) {
			t.Errorf("taken by another: %v", err)
		}
		check(t, s.TakeDraft(ctx, "node", first, "ada"))
		if err := s.TakeDraft(ctx, "node", first, "ada"); !errors.Is(err, ErrNotFound) {
			t.Errorf("taken twice: %v", err)
		}
		check(t, s.KeepDraft(ctx, first, 1, 6))
		check(t, s.TakeDraft(ctx, "node", first, "ada"))
		check(t, s.DropJob(ctx, first))
		check(t, s.Purge(ctx))
		wantRows(t, s, "job_segments", 2)
		check(t, s.TakeDraft(ctx, "lost", second, "ada"))
		check(t, s.Purge(ctx))
		wantRows(t, s, "job_segments", 1)
		clock.Advance(25 * time.Minute)
		if _, err := s.Draft(ctx, other, "ben"); !errors.Is(err, ErrNotFound) {
			t.Errorf("after its time: %v", err)
		}
		check(t, s.Purge(ctx))
		wantRows(t, s, "job_segments", 0)
		wantRows(t, s, "jobs", 0)
	})
}
