//go:build unix

package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestVerdicts(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		verdict := Verdict{Result: []byte(`{"reason":"x"}`), Reason: "x", Checked: now.Now(), Expires: now.Now().Add(time.Hour)}
		newer := verdict
		newer.Result, newer.Checked = []byte(`{"reason":"y"}`), now.Now().Add(time.Second)
		want := func(v Verdict) {
			t.Helper()
			for _, flush := range []bool{false, true} {
				if flush {
					check(t, s.Flush(ctx))
				}
				got, err := s.Verdict(ctx, "a@example.com")
				check(t, err)
				if diff := cmp.Diff(v, got); diff != "" {
					t.Errorf("committed %t: %s", flush, diff)
				}
			}
		}
		s.PutVerdict("a@example.com", verdict)
		want(verdict)
		s.PutVerdict("a@example.com", newer)
		s.PutVerdict("a@example.com", verdict) // came later, was asked earlier
		want(newer)
		s.PutVerdict("a@example.com", verdict)
		check(t, s.Flush(ctx))
		want(newer)
		_, err := s.Verdict(ctx, "b@example.com")
		wantError(t, err, ErrNotFound)

		s.PutVerdict("nul@example.com", Verdict{Result: []byte("\"\x00\xff\""), Reason: "\x00", Checked: now.Now(), Expires: now.Now().Add(time.Hour)})
		check(t, s.Flush(ctx))
		s.PutVerdict("long@example.com", Verdict{Result: []byte(strings.Repeat("x", maxResult+1)), Expires: now.Now().Add(time.Hour)})
		if dropped := s.Stats().Dropped; dropped != 1 {
			t.Errorf("%d dropped", dropped)
		}
		now.Advance(time.Hour)
		_, err = s.Verdict(ctx, "a@example.com")
		wantError(t, err, ErrNotFound)
	})
}

// TestClockIsSetBack: what was written by a clock that was ahead is neither
// believed nor in the way.
func TestClockIsSetBack(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		put := func(reason string) {
			t.Helper()
			s.PutVerdict("a@example.com", Verdict{Result: []byte(`{}`), Reason: reason, Checked: now.Now(), Expires: now.Now().Add(6 * time.Hour)})
			check(t, s.Flush(ctx))
		}
		now.Advance(365 * 24 * time.Hour)
		put("mailbox_not_found")
		now.Advance(-365 * 24 * time.Hour)
		_, err := s.Verdict(ctx, "a@example.com")
		wantError(t, err, ErrNotFound)
		put("recipient_accepted")
		got, err := s.Verdict(ctx, "a@example.com")
		check(t, err)
		if got.Reason != "recipient_accepted" {
			t.Errorf("the verdict is %s", got.Reason)
		}
	})
}

func TestForgetVerdicts(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		before, err := s.Versions(ctx)
		check(t, err)
		put := func(address string) {
			s.PutVerdict(address, Verdict{Result: []byte(`{}`), Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
		}
		put("stored@example.com")
		check(t, s.Flush(ctx))
		put("queued@example.com")
		check(t, s.ForgetVerdicts(ctx))
		check(t, s.Flush(ctx))
		for _, address := range []string{"stored@example.com", "queued@example.com"} {
			_, err := s.Verdict(ctx, address)
			wantError(t, err, ErrNotFound)
		}
		after, err := s.Versions(ctx)
		check(t, err)
		if after.Verdicts <= before.Verdicts || after.Keys != before.Keys {
			t.Errorf("versions %+v, then %+v", before, after)
		}
	})
}

func TestPurge(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		ann, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "x"})
		check(t, err)
		const many = purgeAtOnce + 7
		for i := range many {
			s.PutVerdict(time.Duration(i).String(), Verdict{Checked: now.Now(), Expires: now.Now().Add(time.Hour)})
		}
		for i, lasts := range []time.Duration{time.Hour, 1000 * 24 * time.Hour} {
			name := string(rune('a' + i))
			s.PutVerdict(name, Verdict{Checked: now.Now(), Expires: now.Now().Add(lasts)})
			s.ScheduleRecheck(Recheck{Address: name, GiveUp: now.Now().Add(lasts)})
			check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf(name), Account: ann.ID, Expires: now.Now().Add(lasts)}))
			check(t, s.CreateSetupToken(ctx, HashOf(name), now.Now().Add(lasts)))
			s.RecordUse(Use{Key: name, At: now.Now().Add(lasts), Result: "r"})
			_, err := s.ReserveQuota(ctx, name, now.Now().Add(lasts), 1, 1)
			check(t, err)
		}
		check(t, s.Flush(ctx))
		check(t, s.Purge(ctx))
		for table, rows := range map[string]int{"verdicts": many + 2, "rechecks": 2, "sessions": 2, "setup_tokens": 2, "usage": 2, "quotas": 2} {
			wantRows(t, s, table, rows)
		}
		now.Advance(500 * 24 * time.Hour)
		check(t, s.Purge(ctx))
		for _, table := range []string{"verdicts", "rechecks", "sessions", "setup_tokens", "usage", "quotas"} {
			wantRows(t, s, table, 1)
		}
	})
}

func wantRows(t *testing.T, s *Store, table string, want int) {
	t.Helper()
	var rows int
	check(t, s.db.reader.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&rows))
	if rows != want {
		t.Errorf("%d rows in %s, want %d", rows, table, want)
	}
}

// TestMostVerdicts: of more verdicts than are kept, those that expire first are
// deleted, and no other limit is needed.
func TestMostVerdicts(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		const most, more = 2500, 2200 // more than one transaction
		now := newClock()
		o.Now, o.Verdicts = now.Now, most
		s, ctx := open(t, o), t.Context()
		for i := range most + more {
			s.PutVerdict(fmt.Sprint(i, "@example.com"), Verdict{Result: []byte(`{}`), Checked: now.Now(), Expires: now.Now().Add(time.Hour + time.Duration(i)*time.Second)})
			if i%1000 == 0 {
				check(t, s.Flush(ctx))
			}
		}
		check(t, s.Flush(ctx))
		for range 2 { // a second time there is nothing to do
			check(t, s.Purge(ctx))
			for i, kept := range map[int]bool{0: false, more - 1: false, more: true, most + more - 1: true} {
				_, err := s.Verdict(ctx, fmt.Sprint(i, "@example.com"))
				if got := err == nil; got != kept {
					t.Errorf("%d: %v", i, err)
				}
			}
		}
	})
}
