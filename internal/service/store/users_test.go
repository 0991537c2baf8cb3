//go:build unix

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAccounts(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		ann, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: " Ann@Example.com ", Role: RoleAdmin, Password: "one"})
		check(t, err)
		_, err = s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann@example.COM", Role: RoleAdmin, Password: "two"})
		wantError(t, err, ErrExists)
		_, err = s.CreateAccount(ctx, ByCommand("test"), Account{Login: " ", Role: RoleAdmin, Password: "two"})
		wantError(t, err, ErrInvalid)
		_, err = s.CreateAccount(ctx, ByCommand("test"), Account{Login: "bob"})
		wantError(t, err, ErrInvalid)
		for _, login := range []string{"ann@example.com", "ANN@example.com "} {
			got, err := s.AccountByLogin(ctx, login)
			check(t, err)
			if diff := cmp.Diff(ann, got); diff != "" {
				t.Error(diff)
			}
		}
		_, err = s.AccountByLogin(ctx, "nobody\x00")
		wantError(t, err, ErrNotFound)

		check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("cookie"), Account: ann.ID, Expires: time.Now().Add(time.Hour)}))
		check(t, s.SetPassword(ctx, ByCommand("test"), ann.ID, "three"))
		_, _, err = s.Session(ctx, HashOf("cookie"))
		wantError(t, err, ErrNotFound)
		ann.Password = "three"
		all, err := s.Accounts(ctx)
		check(t, err)
		if diff := cmp.Diff([]Account{ann}, all); diff != "" {
			t.Error(diff)
		}
		wantError(t, s.SetPassword(ctx, ByCommand("test"), "nobody", "x"), ErrNotFound)
	})
}

func TestDeleteAccountRevokesItsKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		ann, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleMember, Password: "one"})
		check(t, err)
		key, err := s.CreateKey(ctx, ByCommand("test"), Key{Hash: HashOf("a"), Account: ann.ID})
		check(t, err)
		operators := someKey(t, s, "b")
		check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("cookie"), Account: ann.ID, Expires: time.Now().Add(time.Hour)}))
		before, err := s.Versions(ctx)
		check(t, err)
		check(t, s.RemoveAccount(ctx, ByCommand("test"), ann.ID, ""))
		if after, err := s.Versions(ctx); err != nil || after.Keys <= before.Keys {
			t.Errorf("other nodes do not hear of it: %+v, then %+v, %v", before, after, err)
		}
		key, err = s.Key(ctx, key.ID)
		check(t, err)
		if key.Revoked.IsZero() || key.Account != "" {
			t.Errorf("the key of a deleted account: %+v", key)
		}
		operators, err = s.Key(ctx, operators.ID)
		check(t, err)
		if !operators.Revoked.IsZero() {
			t.Error("the operator's key was revoked")
		}
		_, _, err = s.Session(ctx, HashOf("cookie"))
		wantError(t, err, ErrNotFound)
		wantError(t, s.RemoveAccount(ctx, ByCommand("test"), ann.ID, ""), ErrNotFound)
	})
}

func TestSessions(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		ann, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ann", Role: RoleAdmin, Password: "one"})
		check(t, err)
		session := Session{Hash: HashOf("cookie"), Account: ann.ID, Expires: now.Now().Add(time.Hour)}
		check(t, s.CreateSession(ctx, ByCommand("test"), session))
		session.Created = now.Now()
		got, account, err := s.Session(ctx, HashOf("cookie"))
		check(t, err)
		if diff := cmp.Diff(session, got) + cmp.Diff(ann, account); diff != "" {
			t.Error(diff)
		}
		_, _, err = s.Session(ctx, HashOf("cookies"))
		wantError(t, err, ErrNotFound)
		wantError(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("other"), Account: "nobody"}), ErrNotFound)

		second := Session{Hash: HashOf("second"), Account: ann.ID, Expires: now.Now().Add(2 * time.Hour)}
		third := Session{Hash: HashOf("third"), Account: ann.ID, Expires: now.Now().Add(2 * time.Hour)}
		check(t, s.CreateSession(ctx, ByCommand("test"), second))
		check(t, s.CreateSession(ctx, ByCommand("test"), third))
		third.Expires = now.Now().Add(3 * time.Hour)
		check(t, s.ExtendSession(ctx, third.Hash, third.Expires))
		if got, _, err = s.Session(ctx, third.Hash); err != nil || !got.Expires.Equal(third.Expires) {
			t.Errorf("extended: %v, %v", got.Expires, err)
		}
		now.Advance(time.Hour)
		wantError(t, s.ExtendSession(ctx, HashOf("cookie"), now.Now().Add(time.Hour)), ErrNotFound) // expired
		_, _, err = s.Session(ctx, HashOf("cookie"))
		wantError(t, err, ErrNotFound)
		check(t, s.EndSession(ctx, ByCommand("test"), second.Hash))
		check(t, s.EndSession(ctx, ByCommand("test"), second.Hash))
		_, _, err = s.Session(ctx, second.Hash)
		wantError(t, err, ErrNotFound)
		_, _, err = s.Session(ctx, third.Hash)
		check(t, err)
	})
}

func TestSetUpHappensOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		check(t, s.CreateSetupToken(ctx, HashOf("late"), now.Now().Add(time.Minute)))
		check(t, s.CreateSetupToken(ctx, HashOf("one"), now.Now().Add(time.Hour)))
		check(t, s.CreateSetupToken(ctx, HashOf("two"), now.Now().Add(time.Hour)))
		now.Advance(time.Minute)
		wantError(t, s.CheckSetupToken(ctx, HashOf("late")), ErrNotFound)
		wantError(t, s.CheckSetupToken(ctx, HashOf("none")), ErrNotFound)
		_, err := s.SetUp(ctx, HashOf("late"), Account{Login: "late", Password: "x"})
		wantError(t, err, ErrNotFound)
		_, err = s.SetUp(ctx, HashOf("one"), Account{Login: "", Password: "x"})
		wantError(t, err, ErrInvalid)
		check(t, s.CheckSetupToken(ctx, HashOf("one"))) // not used up by what failed

		errs := together(8, func(i int) error {
			_, err := s.SetUp(ctx, HashOf([]string{"one", "two"}[i%2]), Account{Login: string(rune('a' + i)), Password: "x"})
			return err
		})
		accounts, err := s.Accounts(ctx)
		check(t, err)
		refused := 0
		for _, err := range errs {
			if errors.Is(err, ErrNotFound) {
				refused++
			}
		}
		if len(accounts) != 1 || refused != len(errs)-1 {
			t.Errorf("%d accounts, %d of %d refused: %v", len(accounts), refused, len(errs), errs)
		}

		for _, token := range []string{"one", "two"} {
			wantError(t, s.CheckSetupToken(ctx, HashOf(token)), ErrNotFound)
		}

		// The token of a node that looked for accounts before there was one.
		check(t, s.CreateSetupToken(ctx, HashOf("overtaken"), now.Now().Add(time.Hour)))
		_, err = s.SetUp(ctx, HashOf("overtaken"), Account{Login: "second", Password: "x"})
		wantError(t, err, ErrNotFound)
	})
}

func TestSettings(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		check(t, s.SetSetting(ctx, "keep", json.RawMessage(`{"hours":1}`)))
		check(t, s.SetSetting(ctx, "gone", json.RawMessage(`1`)))
		check(t, s.SetSetting(ctx, "keep", json.RawMessage(`{"hours":2}`)))
		check(t, s.SetSetting(ctx, "gone", nil))
		got, err := s.Settings(ctx)
		check(t, err)
		if diff := cmp.Diff(map[string]json.RawMessage{"keep": json.RawMessage(`{"hours":2}`)}, got); diff != "" {
			t.Error(diff)
		}
		wantError(t, s.SetSetting(ctx, "keep", json.RawMessage(`{`)), ErrInvalid)
		wantError(t, s.SetSetting(ctx, "", json.RawMessage(`1`)), ErrInvalid)
		wantError(t, s.SetSetting(ctx, "big", json.RawMessage(`"`+string(make([]byte, maxSetting))+`"`)), ErrInvalid)
	})
}

// TestLoginForms: a login is found in whichever form its letters are sent, and
// one that an earlier version has stored in another form, too.
func TestLoginForms(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		const composed, decomposed = "j\u00f6rg@acme.example", "Jo\u0308rg@acme.example"
		account := Account{Login: decomposed, Role: RoleAdmin, Password: "hash"}
		check(t, s.write(ctx, "test", func(ctx context.Context, tx *sql.Tx) error {
			account.ID, account.Login = newID("acc"), loginOf(account.Login)
			return insertAccount(ctx, tx, account)
		}))
		if account.Login != composed {
			t.Errorf("it is stored as %+q", account.Login)
		}
		old := Account{ID: newID("acc"), Login: "a\u0308", Role: RoleViewer, Password: "hash"}
		check(t, s.write(ctx, "test", func(ctx context.Context, tx *sql.Tx) error { return insertAccount(ctx, tx, old) }))
		for login, id := range map[string]string{composed: account.ID, decomposed: account.ID, "A\u0308": old.ID} {
			found, err := s.AccountByLogin(ctx, login)
			if err != nil || found.ID != id {
				t.Errorf("%+q: %+v, %v", login, found, err)
			}
		}
	})
}
