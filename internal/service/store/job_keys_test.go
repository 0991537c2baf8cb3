//go:build unix

package store

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// keyWithJob makes a key and a running list of it.
func keyWithJob(t *testing.T, s *Store, secret string) (Key, Job) {
	t.Helper()
	ctx := t.Context()
	key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf(secret), Name: secret, Scopes: []Scope{ScopeBulk}})
	check(t, err)
	return key, jobOf(t, s, key.ID)
}

func jobOf(t *testing.T, s *Store, key string) Job {
	t.Helper()
	j, err := s.BeginJob(t.Context(), "node", Job{Owner: key, Key: key, Format: "csv"}, 0, nil)
	check(t, err)
	check(t, s.AddSegment(t.Context(), j.ID, 0, 0, nil, []Batch{{Addresses: 10, Data: []byte("a")}}))
	j, err = s.StartJob(t.Context(), ByCommand("test"), j.ID, JobTotals{Rows: 10, Addresses: 10, Segments: 1}, nil)
	check(t, err)
	return j
}

func wantState(t *testing.T, s *Store, id string, want JobState) {
	t.Helper()
	j, err := s.Job(t.Context(), id)
	if check(t, err); j.State != want || want == JobPaused && j.Problem != keyEnded {
		t.Errorf("the list is %s (%q), want %s", j.State, j.Problem, want)
	}
}

// TestListsOfEndedKeys: a revoked key's lists are paused at once, an expired
// one's when that is noticed, and a replaced one's when nothing of its line may
// be used. What was resumed goes on.
func TestListsOfEndedKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		revoked, list := keyWithJob(t, s, "revoked")
		_, other := keyWithJob(t, s, "other")
		fixed := jobOf(t, s, "fixed")
		check(t, s.RevokeKey(ctx, ByCommand("test"), revoked.ID))
		wantState(t, s, list.ID, JobPaused)
		_, err := s.ResumeJob(ctx, ByCommand("test"), list.ID)
		check(t, err)
		expire := func() {
			t.Helper()
			clock.Advance(time.Hour)
			_, err := s.PauseOrphans(ctx)
			check(t, err)
		}
		expire()
		wantState(t, s, list.ID, JobQueued)

		expiring, short := keyWithJob(t, s, "expiring")
		expiring.Expires = clock.Now().Add(time.Hour)
		check(t, s.UpdateKey(ctx, ByCommand("test"), expiring))
		wantState(t, s, short.ID, JobQueued)
		expire()
		wantState(t, s, short.ID, JobPaused)

		first, long := keyWithJob(t, s, "first")
		second, err := s.RotateKey(ctx, ByCommand("test"), first.ID, HashOf("second"), clock.Now().Add(time.Minute))
		check(t, err)
		third, err := s.RotateKey(ctx, ByCommand("test"), second.ID, HashOf("third"), clock.Now().Add(time.Minute))
		check(t, err)
		expire()
		wantState(t, s, long.ID, JobQueued)
		check(t, s.RevokeKey(ctx, ByCommand("test"), third.ID))
		wantState(t, s, long.ID, JobPaused)
		for _, id := range []string{other.ID, fixed.ID} {
			wantState(t, s, id, JobQueued)
		}
		if all, err := s.Jobs(ctx, JobQuery{Key: first.ID, State: JobPaused}); err != nil || len(all) != 1 || all[0].ID != long.ID {
			t.Errorf("lists of the key: %+v, %v", all, err)
		}
		if n, err := s.CancelJobsOfKey(ctx, ByCommand("test"), first.ID); err != nil || n != 1 {
			t.Errorf("%d are cancelled: %v", n, err)
		}
		wantState(t, s, long.ID, JobCancelled)
	})
}

// TestKeyEndsWhileAListArrives: it makes no list, and takes no quota.
func TestKeyEndsWhileAListArrives(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		for what, end := range map[string]func(s *Store, k Key) error{
			"revoked": func(s *Store, k Key) error { return s.RevokeKey(t.Context(), ByCommand("test"), k.ID) },
			"expired": func(s *Store, k Key) error {
				k.Expires = time.Now().Add(-time.Second)
				return s.UpdateKey(t.Context(), ByCommand("test"), k)
			},
			"without the scope": func(s *Store, k Key) error {
				k.Scopes = []Scope{ScopeVerify}
				return s.UpdateKey(t.Context(), ByCommand("test"), k)
			},
		} {
			s := open(t, o)
			join(t, s, "node")
			key, _ := keyWithJob(t, s, what)
			j, err := s.BeginJob(t.Context(), "node", Job{Key: key.ID, Addresses: 10}, 100, nil)
			check(t, err)
			check(t, end(s, key))
			_, err = s.StartJob(t.Context(), ByCommand("test"), j.ID, JobTotals{Addresses: 10}, nil)
			wantError(t, err, ErrKeyEnded)
			check(t, s.DropJob(t.Context(), j.ID))
			if used, err := s.QuotaUsed(t.Context(), key.ID, time.Now()); err != nil || used != 0 {
				t.Errorf("%s: %d units are used: %v", what, used, err)
			}
			_, err = s.BeginJob(t.Context(), "node", Job{Key: key.ID}, 0, nil)
			wantError(t, err, ErrKeyEnded)
			check(t, s.Close())
		}
	})
}

// TestPauseWhileForgetting: who pauses a list that stands because an address is
// being forgotten has paused it, and that is an event.
func TestPauseWhileForgetting(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		for _, pauses := range []bool{false, true} {
			list, want := jobOf(t, s, "key"), JobQueued
			check(t, s.HoldJob(ctx, list.ID))
			if pauses {
				want = JobPaused
				_, err := s.PauseJob(ctx, tester, list.ID)
				check(t, err)
			}
			check(t, s.LetGoJob(ctx, list.ID))
			now, err := s.Job(ctx, list.ID)
			if check(t, err); now.State != want || now.Problem != "" {
				t.Errorf("paused by somebody: %v; it is %s (%q)", pauses, now.State, now.Problem)
			}
			if paused := slices.Contains(whats(t, s, list.ID), rows.ListPaused); paused != pauses {
				t.Errorf("there is an event of it: %v, want %v", paused, pauses)
			}
		}
	})
}
