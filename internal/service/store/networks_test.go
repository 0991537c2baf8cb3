//go:build unix

package store

import (
	"fmt"
	"testing"
	"time"
)

func TestNetworks(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		knows := func(login, network string, want bool) {
			t.Helper()
			got, err := s.KnowsNetwork(ctx, login, network)
			check(t, err)
			if got != want {
				t.Errorf("%s from %s: %v, want %v", login, network, got, want)
			}
		}
		ann, err := s.CreateAccount(ctx, ByCommand("test"), Account{Login: "Ann", Role: RoleAdmin, Password: "x"})
		check(t, err)
		_, err = s.CreateAccount(ctx, ByCommand("test"), Account{Login: "ben", Role: RoleAdmin, Password: "x"})
		check(t, err)
		wantError(t, s.RememberNetwork(ctx, "account_none", "192.0.2.0/32"), ErrNotFound)

		knows("ann", "192.0.2.1/32", false)
		for range 2 {
			check(t, s.RememberNetwork(ctx, ann.ID, "192.0.2.1/32"))
		}
		knows(" ANN", "192.0.2.1/32", true)
		knows("ann", "192.0.2.2/32", false)
		knows("ben", "192.0.2.1/32", false)

		for i := range maxNetworks {
			now.Advance(time.Second)
			check(t, s.RememberNetwork(ctx, ann.ID, fmt.Sprint(i)))
		}
		knows("ann", "192.0.2.1/32", false) // the oldest made room
		knows("ann", "0", true)
		now.Advance(s.retention.Networks)
		check(t, s.Purge(ctx))
		knows("ann", "99", false)
	})
}
