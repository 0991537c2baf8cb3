//go:build unix

package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func addressesOf(rechecks []Recheck) []string {
	var all []string
	for _, r := range rechecks {
		all = append(all, r.Address)
	}
	return all
}

func TestRechecks(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock()
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		schedule := func(address, egress string, in time.Duration) {
			s.ScheduleRecheck(Recheck{Address: address, Egress: egress, RunAfter: now.Now().Add(in), GiveUp: now.Now().Add(time.Hour)})
			check(t, s.Flush(ctx))
		}
		claim := func(egress string, limit int, want ...string) []Recheck {
			t.Helper()
			claimed, err := s.ClaimRechecks(ctx, egress, limit, time.Minute)
			check(t, err)
			if got := addressesOf(claimed); !slices.Equal(got, want) {
				t.Errorf("claimed %q, want %q", got, want)
			}
			return claimed
		}
		schedule("later@a", "x", 2*time.Minute)
		schedule("second@a", "x", -time.Second)
		schedule("first@a", "x", -time.Minute)
		schedule("third@a", "x", 0)
		schedule("other@a", "y", 0)
		claim("z", 10)
		two := claim("x", 2, "first@a", "second@a")
		claim("x", 10, "third@a")
		claim("x", 10)
		if r := two[0]; r.Attempts != 1 || r.Egress != "x" || !r.GiveUp.Equal(now.Now().Add(time.Hour)) {
			t.Errorf("%+v", r)
		}

		check(t, s.FinishRecheck(ctx, two[0]))
		wantError(t, s.FinishRecheck(ctx, two[0]), ErrLeaseLost)
		check(t, s.PostponeRecheck(ctx, two[1], now.Now().Add(30*time.Second)))
		schedule("third@a", "y", -time.Hour) // is being asked about: stays as it is
		claim("x", 10)
		now.Advance(30 * time.Second)
		again := claim("x", 10, "second@a")
		if again[0].Attempts != 2 {
			t.Errorf("%+v", again[0])
		}
		now.Advance(time.Minute) // the leases have run out
		taken := claim("x", 10, "third@a", "second@a")
		wantError(t, s.FinishRecheck(ctx, again[0]), ErrLeaseLost)
		wantError(t, s.PostponeRecheck(ctx, again[0], now.Now()), ErrLeaseLost)
		check(t, s.FinishRecheck(ctx, taken[1]))
		schedule("later@a", "y", 0) // moves to another egress
		claim("y", 10, "other@a", "later@a")
		now.Advance(time.Hour)
		claim("y", 10) // given up
		waiting, err := s.Rechecks(ctx)
		check(t, err)
		if waiting != 3 {
			t.Errorf("%d wait", waiting)
		}
	})
}

// TestRecheckIsClaimedOnce has many claim at once, on two nodes where the
// engine allows.
func TestRecheckIsClaimedOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		nodes := []*Store{open(t, o)}
		if o.DatabaseURL != "" {
			nodes = append(nodes, open(t, o))
		}
		const many = 300
		for i := range many {
			nodes[0].ScheduleRecheck(Recheck{Address: fmt.Sprint(i), RunAfter: time.Now().Add(-time.Second), GiveUp: time.Now().Add(time.Hour)})
		}
		check(t, nodes[0].Flush(t.Context()))
		var mu sync.Mutex
		seen := map[string]int{}
		noErrors(t, together(6, func(i int) error {
			for idle := 0; idle < 3; {
				claimed, err := nodes[i%len(nodes)].ClaimRechecks(t.Context(), "", 7, time.Hour)
				if err != nil {
					return err
				}
				mu.Lock()
				for _, r := range claimed {
					seen[r.Address]++
				}
				mu.Unlock()
				if len(claimed) == 0 {
					idle++
				}
			}
			return nil
		}))
		for address, times := range seen {
			if times != 1 {
				t.Errorf("%s was claimed %d times", address, times)
			}
		}
		if len(seen) != many {
			t.Errorf("%d of %d were claimed", len(seen), many)
		}
	})
}

func TestRechecksAreBounded(t *testing.T) {
	s := open(t, sqliteEngine.empty(t))
	s.maxRechecks = 5
	for i := range 7 {
		s.ScheduleRecheck(Recheck{Address: fmt.Sprint("new", i)})
		if i == 3 {
			check(t, s.Flush(t.Context()))
		}
	}
	check(t, s.Flush(t.Context()))
	wantRows(t, s, "rechecks", s.maxRechecks)
	if dropped := s.Stats().Dropped; dropped != 2 {
		t.Errorf("%d dropped, want 2", dropped)
	}
}
