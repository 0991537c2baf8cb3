//go:build unix

package store

import (
	"errors"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

func isKind(err, want error) bool { return errors.Is(err, want) }

var sameNetworks = cmpopts.EquateComparable(netip.Prefix{})

func TestKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		owner, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "hash"})
		check(t, err)
		key, err := s.CreateKey(ctx, ByCommand("test"), Key{
			Hash: HashOf("secret"), Name: "büro", Account: owner.ID, Scopes: []Scope{ScopeVerify, ScopeUsage}, RatePerSecond: 2.5, Burst: 10,
			Concurrency: 3, MonthlyQuota: math.MaxInt64, Expires: now.Now().Add(time.Hour),
			Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		})
		check(t, err)
		if key.ID == "" || !key.Created.Equal(now.Now()) {
			t.Errorf("created %+v", key)
		}
		got, err := s.Key(ctx, key.ID)
		check(t, err)
		if diff := cmp.Diff(key, got, sameNetworks); diff != "" {
			t.Error("read back:", diff)
		}
		if !got.Usable(now.Now()) || got.Usable(now.Now().Add(time.Hour)) || !got.May(ScopeUsage) || got.May(ScopeBulk) {
			t.Errorf("what may %+v", got)
		}

		key.Name, key.Burst, key.Networks, key.Expires = "other", 11, nil, time.Time{}
		check(t, s.UpdateKey(ctx, ByCommand("test"), key))
		at := now.Now().Add(time.Minute)
		s.TouchKey(key.ID, at)
		s.TouchKey(key.ID, at.Add(-time.Second))
		check(t, s.Flush(ctx))
		s.TouchKey(key.ID, at.Add(-time.Hour))
		check(t, s.Flush(ctx))
		now.Advance(time.Minute)
		second := someKey(t, s, "another")
		check(t, s.RevokeKey(ctx, ByCommand("test"), key.ID))
		revoked := now.Now()
		now.Advance(time.Minute)
		check(t, s.RevokeKey(ctx, ByCommand("test"), key.ID))

		key.LastUsed, key.Revoked = at, revoked
		all, err := s.Keys(ctx)
		check(t, err)
		if diff := cmp.Diff([]Key{key, second}, all, sameNetworks); diff != "" {
			t.Error("all keys:", diff)
		}
		if key.Usable(now.Now()) {
			t.Error("a revoked key is usable")
		}
	})
}

// TestNameOfKey: marks of direction, which would show a name in another order,
// are not stored.
func TestNameOfKey(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("secret"), Name: "shop\u202Egnp.exe\u200B"})
		if check(t, err); key.Name != "shopgnp.exe" {
			t.Errorf("created as %q", key.Name)
		}
		key.Name = "\u2066büro 日本 עברית\u2069"
		check(t, s.UpdateKey(ctx, ByCommand("test"), key))
		if key, err = s.Key(ctx, key.ID); err != nil || key.Name != "büro 日本 עברית" {
			t.Errorf("changed to %q, %v", key.Name, err)
		}
	})
}

func TestKeysThatCannotBe(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		someKey(t, s, "secret")
		_, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("secret")})
		wantError(t, err, ErrExists)
		_, err = s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("orphan"), Account: "nobody"})
		wantError(t, err, ErrNotFound)
		for _, id := range []string{"nothing", "a\x00b", "\xff"} { // as a URL can have it
			_, err = s.Key(ctx, id)
			wantError(t, err, ErrNotFound)
			wantError(t, s.RevokeKey(ctx, ByCommand("test"), id), ErrNotFound)
		}
		wantError(t, s.UpdateKey(ctx, ByCommand("test"), Key{ID: "nothing"}), ErrNotFound)
		for name, key := range map[string]Key{
			"no hash":       {},
			"below zero":    {Hash: HashOf("a"), Burst: -1},
			"no number":     {Hash: HashOf("a"), RatePerSecond: math.NaN()},
			"infinite":      {Hash: HashOf("a"), RatePerSecond: math.Inf(1)},
			"unknown scope": {Hash: HashOf("a"), Scopes: []Scope{"verify usage"}},
			"NUL":           {Hash: HashOf("a"), Name: "a\x00b"},
			"no UTF-8":      {Hash: HashOf("a"), Name: "\xff"},
			"line feed":     {Hash: HashOf("a"), Name: "a\nb"},
			"too long":      {Hash: HashOf("a"), Name: strings.Repeat("a", maxText+1)},
		} {
			if _, err := s.CreateKey(ctx, ByCommand("test"), key); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestNoSecretOnDisk looks for the text of what was hashed in all files of the
// data folder.
func TestNoSecretOnDisk(t *testing.T) {
	o := sqliteEngine.empty(t)
	s, ctx := open(t, o), t.Context()
	someKey(t, s, "rcpt_secret-of-the-key")
	account, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "$argon2id$"})
	check(t, err)
	check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("secret-of-the-cookie"), Account: account.ID, Expires: time.Now().Add(time.Hour)}))
	check(t, s.CreateSetupToken(ctx, HashOf("secret-of-the-link"), time.Now().Add(time.Hour)))
	s.PutVerdict("alice-remembered@example.com", Verdict{Result: []byte(`{"found":"me"}`), Checked: time.Now(), Expires: time.Now().Add(time.Hour)})
	s.ScheduleRecheck(Recheck{Address: "bob-waiting@example.com", RunAfter: time.Now(), GiveUp: time.Now().Add(time.Hour)})
	check(t, s.Flush(ctx))
	for text, there := range map[string]bool{
		"secret-of-the": false, "alice-remembered": false, `{"found":"me"}`: true, "bob-waiting": true, "$argon2id$": true,
	} {
		if got := onDisk(t, o.DataDir, text); got != there {
			t.Errorf("%q in the data folder: %t, want %t", text, got, there)
		}
	}
	claimed, err := s.ClaimRechecks(ctx, "", 1, time.Minute)
	check(t, err)
	check(t, s.FinishRecheck(ctx, claimed[0]))
	check(t, s.Close())
	if onDisk(t, o.DataDir, "bob-waiting") {
		t.Error("an address stays in the data folder after its recheck is done")
	}
}

func onDisk(t *testing.T, folder, text string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	check(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		check(t, err)
		if strings.Contains(string(content), text) {
			return true
		}
	}
	return false
}

// TestTestKey: a test key is one by its ID. It stays one, as do those that
// replace it, no other key becomes one, and it has no quota.
func TestTestKey(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("test"), Test: true})
		check(t, err)
		live, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("live")})
		check(t, err)
		fresh, err := s.RotateKey(ctx, ByCommand("test"), key.ID, HashOf("its successor"), time.Now().Add(time.Hour))
		check(t, err)
		liveAgain, err := s.RotateKey(ctx, ByCommand("test"), live.ID, HashOf("the other's"), time.Now().Add(time.Hour))
		check(t, err)
		for id, test := range map[string]bool{key.ID: true, fresh.ID: true, live.ID: false, liveAgain.ID: false} {
			read, err := s.Key(ctx, id)
			check(t, err)
			if read.Test != test || rows.TestID(id) != test {
				t.Errorf("%s is a test key: %v", id, read.Test)
			}
			read.Test = !test
			wantError(t, s.UpdateKey(ctx, ByCommand("test"), read), ErrInvalid)
			if read, err = s.Key(ctx, id); err != nil || read.Test != test {
				t.Errorf("%s became another: %v", id, err)
			}
		}
		key.MonthlyQuota = 1
		wantError(t, s.UpdateKey(ctx, ByCommand("test"), key), ErrInvalid)
		_, err = s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("quota"), Test: true, MonthlyQuota: 1})
		wantError(t, err, ErrInvalid)
	})
}
