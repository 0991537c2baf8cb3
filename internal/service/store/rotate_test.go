//go:build unix

package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRotateKey: the new key is like the old one, which ends in time and works
// until then.
func TestRotateKey(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		owner, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "hash"})
		check(t, err)
		old, err := s.CreateKey(ctx, ByCommand("test"), Key{
			Hash: HashOf("old"), Name: "shop", Account: owner.ID, Scopes: []Scope{ScopeVerify}, RatePerSecond: 2.5, Burst: 10, Concurrency: 3,
			MonthlyQuota: 100, Expires: now.Now().Add(48 * time.Hour), Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		})
		check(t, err)
		_, err = s.ReserveQuota(ctx, old.ID, now.Now(), 7, 100)
		check(t, err)
		s.TouchKey(old.ID, now.Now())
		check(t, s.Flush(ctx))
		now.Advance(time.Minute)
		before, err := s.Versions(ctx)
		check(t, err)

		until := now.Now().Add(time.Hour)
		fresh, err := s.RotateKey(ctx, ByCommand("test"), old.ID, HashOf("fresh"), until)
		check(t, err)
		want := old
		want.ID, want.Hash, want.Replaces, want.Created = fresh.ID, HashOf("fresh"), old.ID, now.Now()
		got, err := s.Key(ctx, fresh.ID)
		check(t, err)
		for _, key := range []Key{fresh, got} {
			if diff := cmp.Diff(want, key, sameNetworks); diff != "" || key.ID == old.ID {
				t.Error("the new key:", diff)
			}
		}
		ending, err := s.Key(ctx, old.ID)
		check(t, err)
		if !ending.Expires.Equal(until) || ending.Usable(until) || !ending.Usable(until.Add(-time.Second)) || !ending.Revoked.IsZero() {
			t.Errorf("the old key: %+v", ending)
		}
		used, err := s.QuotaUsed(ctx, fresh.ID, now.Now())
		check(t, err)
		if used != 7 {
			t.Errorf("the new key begins with %d of the quota used, want 7", used)
		}
		after, err := s.Versions(ctx)
		check(t, err)
		if after.Keys == before.Keys {
			t.Error("nodes are not told")
		}

		// What was to end earlier still does.
		last, err := s.RotateKey(ctx, ByCommand("test"), fresh.ID, HashOf("last"), now.Now().AddDate(0, 0, 7))
		check(t, err)
		if ending, err := s.Key(ctx, fresh.ID); err != nil || !ending.Expires.Equal(old.Expires) || !last.Expires.Equal(old.Expires) {
			t.Errorf("%+v, %v", ending, err)
		}
	})
}

func TestKeysThatCannotBeRotated(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		rotate := func(id, secret string) error {
			_, err := s.RotateKey(ctx, ByCommand("test"), id, HashOf(secret), now.Now().Add(time.Hour))
			return err
		}
		for _, id := range []string{"nothing", "a\x00b", "\xff"} {
			wantError(t, rotate(id, "x"), ErrNotFound)
		}
		revoked := someKey(t, s, "revoked")
		check(t, s.RevokeKey(ctx, ByCommand("test"), revoked.ID))
		wantError(t, rotate(revoked.ID, "x"), ErrInvalid)
		replaced := someKey(t, s, "replaced")
		wantError(t, rotate(replaced.ID, "replaced"), ErrExists)
		check(t, rotate(replaced.ID, "successor"))
		wantError(t, rotate(replaced.ID, "x"), ErrInvalid)
		now.Advance(time.Hour)
		wantError(t, rotate(replaced.ID, "x"), ErrInvalid)
		if keys, err := s.Keys(ctx); err != nil || len(keys) != 3 {
			t.Errorf("%d keys, %v", len(keys), err)
		}
	})
}

// TestRotatedOnce: of several that rotate a key at once, one does.
func TestRotatedOnce(t *testing.T) {
	const rounds, callers = 10, 8 // enough for two to meet where the row is not locked
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		for round := range rounds {
			old, done := someKey(t, s, fmt.Sprint("old", round)), 0
			for _, err := range together(callers, func(i int) error {
				_, err := s.RotateKey(t.Context(), ByCommand("test"), old.ID, HashOf(fmt.Sprint(round, i)), time.Now().Add(time.Hour))
				return err
			}) {
				if err == nil {
					done++
				} else if !isKind(err, ErrInvalid) {
					t.Error(err)
				}
			}
			if keys, err := s.Keys(t.Context()); done != 1 || err != nil || len(keys) != 2*(round+1) {
				t.Fatalf("%d rotations, %d keys, %v", done, len(keys), err)
			}
		}
	})
}

// TestQuotaOfReplacedKeys: keys that replace each other have one quota, whoever
// of them takes units or gives them back.
func TestQuotaOfReplacedKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		const limit = 100
		first, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("first"), MonthlyQuota: limit})
		check(t, err)
		now := time.Now()
		keys, hash := []string{first.ID}, first.ID
		reserve := func(key string, want, grants int64) Reservation {
			t.Helper()
			r, err := s.ReserveQuota(ctx, key, now, want, limit)
			if err != nil || r.Units != grants {
				t.Errorf("%d units, want %d, %v", r.Units, grants, err)
			}
			return r
		}
		reserve(first.ID, 40, 40)
		for range 2 {
			hash += "x"
			next, err := s.RotateKey(ctx, ByCommand("test"), keys[len(keys)-1], HashOf(hash), now.Add(time.Hour))
			check(t, err)
			keys = append(keys, next.ID)
		}
		reserve(keys[0], 10, 10)
		taken := reserve(keys[2], 30, 30)
		reserve(keys[1], 30, 20) // the rest
		reserve(keys[0], 1, 0)
		for _, key := range keys {
			if used, err := s.QuotaUsed(ctx, key, now); err != nil || used != limit {
				t.Errorf("%d are used, %v", used, err)
			}
		}
		check(t, s.ReturnQuota(ctx, taken))
		reserve(keys[1], 100, 30)
	})
}

// TestQuotasOfAnEarlierVersion: what replaced keys have used counts for all of
// them.
func TestQuotasOfAnEarlierVersion(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		first, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("first")})
		check(t, err)
		second, err := s.RotateKey(ctx, ByCommand("test"), first.ID, HashOf("second"), time.Now().Add(time.Hour))
		check(t, err)
		alone, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("alone")})
		check(t, err)
		month := millisOf(monthOf(time.Now()))
		text, err := migrationFiles.ReadFile("migrations/0012_quota_lines.sql")
		check(t, err)
		check(t, s.write(ctx, "test", func(ctx context.Context, tx *sql.Tx) error {
			for key, used := range map[string]int64{first.ID: 40, second.ID: 70, alone.ID: 5} {
				if _, err := tx.ExecContext(ctx, `INSERT INTO quotas (api_key, month, used, granted) VALUES ($1, $2, $3, 0)`, key, month, used); err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, string(text))
			return err
		}))
		for key, want := range map[string]int64{first.ID: 70, second.ID: 70, alone.ID: 5} {
			if used, err := s.QuotaUsed(ctx, key, time.Now()); err != nil || used != want {
				t.Errorf("%d are used, want %d, %v", used, want, err)
			}
		}
	})
}
