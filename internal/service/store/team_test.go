//go:build unix

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

var tester = ByCommand("test")

// account makes an account whose login is also its password.
func account(t testing.TB, s *Store, login string, role Role) Account {
	t.Helper()
	a, err := s.CreateAccount(t.Context(), tester, Account{Login: login, Role: role, Password: login})
	check(t, err)
	return a
}

// whats are the kinds of the events of an object, the first one first.
func whats(t testing.TB, s *Store, object string) (all []rows.What) {
	t.Helper()
	events, err := s.Events(t.Context(), EventQuery{})
	check(t, err)
	for _, e := range slices.Backward(events) {
		if e.Object == object {
			all = append(all, e.What)
		}
	}
	return all
}

// TestLastAdminStays: however many try at once, an admin is left.
func TestLastAdminStays(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		only := account(t, s, "only", RoleAdmin)
		account(t, s, "member", RoleMember)
		wantError(t, s.SetRole(ctx, tester, only.ID, RoleMember), ErrLastAdmin)
		wantError(t, s.RemoveAccount(ctx, tester, only.ID, ""), ErrLastAdmin)
		check(t, s.SetRole(ctx, tester, only.ID, RoleAdmin))
		for round := range 5 {
			admins := []Account{only}
			for i := range 3 {
				admins = append(admins, account(t, s, fmt.Sprintf("admin-%d-%d", round, i), RoleAdmin))
			}
			errs := together(len(admins), func(i int) error {
				if i%2 == 0 {
					return s.SetRole(ctx, tester, admins[i].ID, RoleViewer)
				}
				return s.RemoveAccount(ctx, tester, admins[i].ID, "")
			})
			refused := 0
			for i, err := range errs {
				if errors.Is(err, ErrLastAdmin) {
					refused++
					only = admins[i]
				} else if err != nil {
					t.Fatal(err)
				}
			}
			left, err := s.Account(ctx, only.ID)
			if refused != 1 || err != nil || left.Role != RoleAdmin {
				t.Fatalf("%d refused; %+v, %v", refused, left, err)
			}
		}
	})
}

// TestRoleHoldsAtOnce: the next request of a running session, on each node, has
// the new role.
func TestRoleHoldsAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		account(t, s, "admin", RoleAdmin)
		eve := account(t, s, "eve", RoleAdmin)
		check(t, s.CreateSession(ctx, ByCommand("test"), Session{Hash: HashOf("cookie"), Account: eve.ID, Expires: time.Now().Add(time.Hour)}))
		check(t, s.SetRole(ctx, tester, eve.ID, RoleViewer))
		_, now, err := s.Session(ctx, HashOf("cookie"))
		if check(t, err); now.Role != RoleViewer {
			t.Errorf("the session has the role %q", now.Role)
		}
		check(t, s.SetRole(ctx, tester, eve.ID, RoleViewer)) // no change
		wantError(t, s.SetRole(ctx, tester, eve.ID, "owner"), ErrInvalid)
		wantError(t, s.SetRole(ctx, tester, "nobody", RoleViewer), ErrNotFound)
		check(t, s.RemoveAccount(ctx, tester, eve.ID, ""))
		_, _, err = s.Session(ctx, HashOf("cookie"))
		wantError(t, err, ErrNotFound)
		want := []rows.What{rows.AccountCreated, rows.SignedIn, rows.RoleChanged, rows.AccountRemoved}
		if got := whats(t, s, eve.ID); !slices.Equal(got, want) {
			t.Errorf("events: %v, want %v", got, want)
		}
	})
}

// TestKeysAreHandedOver: the keys of a removed account go to an admin, see the
// same lists as before and no others, and so do those that replace them.
func TestKeysAreHandedOver(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		admin, member := account(t, s, "admin", RoleAdmin), account(t, s, "member", RoleMember)
		second, first := account(t, s, "second", RoleAdmin), account(t, s, "first", RoleMember)
		key, err := s.CreateKey(ctx, tester, Key{Hash: HashOf("a"), Name: "a", Account: first.ID, Lists: "nobody", Scopes: []Scope{ScopeBulk}})
		check(t, err)
		list := jobOf(t, s, key.ID)
		for _, heir := range []string{first.ID, member.ID, "nobody"} {
			wantError(t, s.RemoveAccount(ctx, tester, first.ID, heir), ErrInvalid)
		}
		check(t, s.RemoveAccount(ctx, tester, first.ID, second.ID))
		check(t, s.RemoveAccount(ctx, tester, second.ID, admin.ID))
		key, err = s.Key(ctx, key.ID)
		if check(t, err); key.Account != admin.ID || key.Lists != first.ID || !key.Revoked.IsZero() {
			t.Errorf("the key that was handed over: %+v", key)
		}
		wantState(t, s, list.ID, JobQueued)
		fresh, err := s.RotateKey(ctx, tester, key.ID, HashOf("b"), time.Now())
		if check(t, err); fresh.Account != admin.ID || fresh.Lists != first.ID {
			t.Errorf("the key that replaces it: %+v", fresh)
		}
	})
}

// TestKeysOfViewers: a key does no more than its account may. It works again
// with another role.
func TestKeysOfViewers(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		account(t, s, "admin", RoleAdmin)
		eve := account(t, s, "eve", RoleMember)
		scopes := []Scope{ScopeVerify, ScopeBulk, ScopeUsage}
		key, err := s.CreateKey(ctx, tester, Key{Hash: HashOf("a"), Name: "a", Account: eve.ID, Scopes: scopes})
		check(t, err)
		operators, err := s.CreateKey(ctx, tester, Key{Hash: HashOf("b"), Name: "b", Scopes: scopes})
		check(t, err)
		for _, role := range []Role{RoleViewer, RoleMember, RoleAdmin, RoleViewer} {
			before, err := s.Versions(ctx)
			check(t, err)
			check(t, s.SetRole(ctx, tester, eve.ID, role))
			if after, err := s.Versions(ctx); err != nil || after.Keys == before.Keys {
				t.Errorf("%s: nobody reads the keys again: %+v, %v", role, after, err)
			}
			works := role.Includes(RoleMember)
			keys, err := s.Keys(ctx)
			check(t, err)
			for _, k := range keys {
				for _, scope := range scopes {
					if want := works || k.ID == operators.ID; k.May(scope) != want || !k.Has(scope) {
						t.Errorf("%s: the key %s may %s: %v", role, k.Name, scope, !want)
					}
				}
			}
			if _, err = s.BeginJob(ctx, "node", Job{Key: key.ID, Owner: eve.ID}, 0, nil); works != (err == nil) || err != nil && !errors.Is(err, ErrKeyEnded) {
				t.Errorf("%s: a list was begun: %v", role, err)
			}
		}
	})
}

// TestRemovalRevokesKeys: without an heir no key is left, also of those that
// are made meanwhile, and their lists stand.
func TestRemovalRevokesKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		account(t, s, "admin", RoleAdmin)
		gone := account(t, s, "gone", RoleMember)
		key, err := s.CreateKey(ctx, tester, Key{Hash: HashOf("a"), Name: "a", Account: gone.ID, Scopes: []Scope{ScopeBulk}})
		check(t, err)
		list := jobOf(t, s, key.ID)
		for _, err := range together(8, func(i int) error {
			if i == 4 {
				return s.RemoveAccount(ctx, tester, gone.ID, "")
			}
			if i == 5 {
				_, err := s.RotateKey(ctx, tester, key.ID, HashOf("its successor"), time.Now().Add(time.Hour))
				return err
			}
			_, err := s.CreateKey(ctx, tester, Key{Hash: HashOf(fmt.Sprint("key", i)), Name: "k", Account: gone.ID})
			return err
		}) {
			if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
		}
		all, err := s.Keys(ctx)
		check(t, err)
		for _, k := range all {
			if k.Revoked.IsZero() {
				t.Errorf("a key is left: %+v", k)
			}
		}
		wantState(t, s, list.ID, JobPaused)
	})
}

// TestInvitations: a link works once and until it expires, is revoked, or
// whoever gave it may not invite any more.
func TestInvitations(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		admin, boss := account(t, s, "admin", RoleAdmin), account(t, s, "boss", RoleAdmin)
		invite := func(token, login, by string) Invitation {
			t.Helper()
			i, err := s.Invite(ctx, tester, Invitation{Hash: HashOf(token), Login: login, Role: RoleMember, Account: by, Expires: clock.Now().Add(time.Hour)})
			check(t, err)
			return i
		}
		ben := invite("ben", " Ben@Acme.example ", admin.ID)
		late, revoked := invite("late", "late", ""), invite("revoked", "revoked", admin.ID)
		invite("by-boss", "x", boss.ID)
		check(t, s.RevokeInvitation(ctx, tester, revoked.ID))
		wantError(t, s.RevokeInvitation(ctx, tester, revoked.ID), ErrNotFound)
		found, err := s.Invitation(ctx, HashOf("ben"))
		if check(t, err); found != ben || found.Login != "ben@acme.example" {
			t.Errorf("found %+v of %+v", found, ben)
		}
		_, err = s.Join(ctx, HashOf("ben"), Account{Login: "ADMIN", Password: "x"})
		wantError(t, err, ErrExists)

		clock.Advance(time.Second) // accounts are in the order of their making
		joined := together(6, func(i int) error {
			_, err := s.Join(ctx, HashOf("ben"), Account{Login: fmt.Sprint("ben", i), Password: "x", Role: RoleAdmin})
			return err
		})
		accounts, err := s.Accounts(ctx)
		check(t, err)
		if len(accounts) != 3 || accounts[2].Role != RoleMember {
			t.Errorf("joined: %+v, %v", accounts, joined)
		}
		if got := whats(t, s, accounts[2].ID); !slices.Equal(got, []rows.What{rows.Joined}) {
			t.Errorf("events: %v", got)
		}
		check(t, s.SetRole(ctx, tester, boss.ID, RoleMember))
		_, err = s.Invite(ctx, tester, Invitation{Hash: HashOf("again"), Login: "y", Role: RoleAdmin, Account: boss.ID, Expires: clock.Now().Add(time.Hour)})
		wantError(t, err, ErrNotFound)
		_, err = s.Invite(ctx, tester, Invitation{Hash: HashOf("taken"), Login: "Admin", Role: RoleAdmin, Expires: clock.Now().Add(time.Hour)})
		wantError(t, err, ErrExists)
		left, err := s.Invitations(ctx)
		if check(t, err); len(left) != 1 || left[0] != late {
			t.Errorf("pending: %+v", left)
		}
		clock.Advance(time.Hour)
		for _, token := range []string{"ben", "late", "revoked", "by-boss", "unknown"} {
			_, err := s.Invitation(ctx, HashOf(token))
			wantError(t, err, ErrNotFound)
			_, err = s.Join(ctx, HashOf(token), Account{Login: token, Password: "x"})
			wantError(t, err, ErrNotFound)
		}
		check(t, s.Purge(ctx))
		var rest int
		check(t, s.read(ctx, "test", func(ctx context.Context, db *sql.DB) error {
			return db.QueryRowContext(ctx, `SELECT COUNT(*) FROM invitations`).Scan(&rest)
		}))
		if rest != 0 {
			t.Errorf("%d invitations are kept", rest)
		}
	})
}
