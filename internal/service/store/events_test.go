package store

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/mention"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// allEvents reads every event, page by page, the newest first.
func allEvents(t testing.TB, s *Store) (all []Event) {
	t.Helper()
	for q := (EventQuery{}); ; q.Before = all[len(all)-1].ID {
		page, err := s.Events(t.Context(), q)
		check(t, err)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// TestEventsHaveNoAddress: in no way of writing that rcpt forget finds.
func TestEventsHaveNoAddress(t *testing.T) {
	who, err := mention.Of([]string{"bob@acme.example"})
	check(t, err)
	for given, want := range map[string]string{
		"shop":                              "shop",
		"for bob@acme.example, who pays":    "for bob@… who pays",
		"bob%40acme.example":                "bob@…",
		`{"to":"bob\u0040acme.example"} it`: `{"to":"bob@… it`,
		"bob\uff20acme.example.csv":         "bob@…",
	} {
		got := rows.WithoutAddress(given)
		if got != want || who.In(got) {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

// TestEvents looks for what a reader of events relies on: who, what, and which
// key; filters; pages; nothing of what failed; no addresses; and the end after
// a year.
func TestEvents(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ctx := open(t, o), t.Context()
		ann, program := ByAccount("acc_ann", "ann@acme.example"), ByKey("key_shop", "shop")
		key, err := s.CreateKey(ctx, ann, Key{Hash: HashOf("one"), Name: "for bob@acme.example, who pays"})
		check(t, err)
		_, err = s.CreateKey(ctx, program, Key{Hash: HashOf("one"), Name: "the same"})
		wantError(t, err, ErrExists)
		_, err = s.CreateKey(ctx, Actor{}, Key{Hash: HashOf("nobody's")})
		wantError(t, err, ErrInvalid)
		key.Networks, key.Burst = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, 3
		check(t, s.UpdateKey(ctx, ByCommand("root"), key))
		changed, err := s.Events(ctx, EventQuery{What: "key.changed"})
		if check(t, err); len(changed) != 1 || changed[0].Detail != "rate, networks" || changed[0].By.Name != "root" {
			t.Errorf("the change is %v", changed)
		}
		check(t, s.RevokeKey(ctx, program, key.ID))
		check(t, s.RevokeKey(ctx, program, key.ID))

		all := allEvents(t, s)
		if len(all) != 3 {
			t.Fatalf("got %d events, want 3: %v", len(all), all)
		}
		for _, e := range all {
			if e.Object != key.ID || e.Name != "for bob@… who pays" || !e.At.Equal(clock.Now()) {
				t.Errorf("the event is of %q, %q, at %v", e.Object, e.Name, e.At)
			}
			if strings.Contains(e.By.Name+e.Name, "acme.example") {
				t.Errorf("an address is in the event %v", e)
			}
		}
		for _, c := range []struct {
			q    EventQuery
			want What
		}{
			{EventQuery{By: "acc_ann"}, "key.created"},
			{EventQuery{By: "key_shop"}, "key.revoked"},
			{EventQuery{What: "key.created"}, "key.created"},
			{EventQuery{Before: all[1].ID}, all[2].What},
			{EventQuery{Limit: 1}, all[0].What},
		} {
			found, err := s.Events(ctx, c.q)
			check(t, err)
			if len(found) != 1 || found[0].What != c.want {
				t.Errorf("%+v finds %v, want one that is %q", c.q, found, c.want)
			}
		}
		if keys, err := s.Keys(ctx); err != nil || len(keys) != 1 {
			t.Errorf("what nobody did is stored: %d keys, %v", len(keys), err)
		}
		clock.Advance(365 * 24 * time.Hour)
		check(t, s.Purge(ctx))
		if left := allEvents(t, s); len(left) != 3 {
			t.Errorf("after a year %d events are left of 3", len(left))
		}
		clock.Advance(2 * 24 * time.Hour)
		check(t, s.Purge(ctx))
		if left := allEvents(t, s); len(left) != 0 {
			t.Errorf("%d events are left after more than a year", len(left))
		}
	})
}

// TestFailedSignIns: strangers cannot fill the disk with failed sign-ins, with
// a login that exists as little as with one that does not.
func TestFailedSignIns(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s, ann := open(t, o), Account{ID: "acc_ann", Login: "ann"}
		fail := func(n int, a Account) {
			t.Helper()
			for range n {
				check(t, s.SignInFailed(t.Context(), ByVisitor(), a))
			}
		}
		fail(failuresKept-1, Account{})
		fail(3, ann)
		fail(3, Account{})
		if n := len(allEvents(t, s)); n != failuresKept {
			t.Errorf("%d failed sign-ins of an hour are kept, want %d", n, failuresKept)
		}
		clock.Advance(time.Hour)
		fail(1, ann)
		all, err := s.Events(t.Context(), EventQuery{Limit: 1})
		if check(t, err); !all[0].At.Equal(clock.Now()) || all[0].Object != ann.ID || all[0].By.ID != "" {
			t.Errorf("the next hour begins with %v", all[0])
		}
	})
}
