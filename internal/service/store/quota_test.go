//go:build unix

package store

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestQuota(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		october := time.Date(2026, 11, 1, 0, 30, 0, 0, time.FixedZone("", 3600)) // still October in UTC
		reserve := func(at time.Time, want, limit, granted, used int64) Reservation {
			t.Helper()
			r, err := s.ReserveQuota(ctx, "key_a", at, want, limit)
			check(t, err)
			total, err := s.QuotaUsed(ctx, "key_a", at)
			check(t, err)
			if r.Units != granted || total != used {
				t.Errorf("reserve %d of %d: granted %d, used %d; want %d, %d", want, limit, r.Units, total, granted, used)
			}
			return r
		}
		reserve(october, 40, 0, 0, 0)
		reserve(october, 40, 100, 40, 40)
		reserve(october, 40, 100, 40, 80)
		last := reserve(october, 40, 100, 20, 100)
		reserve(october, 40, 100, 0, 100)
		reserve(october, 40, 50, 0, 100) // lowered below what is used
		last.Units = 5
		check(t, s.ReturnQuota(ctx, last))
		reserve(october, 40, 100, 5, 100)
		reserve(october, 1, 101, 1, 101) // raised
		reserve(october.Add(time.Hour), 500, 100, 100, 100)
		check(t, s.ReturnQuota(ctx, Reservation{Key: "key_a", Month: monthOf(october), Units: 1000}))
		reserve(october, 1, 101, 1, 1)
		november, err := s.QuotaUsed(ctx, "key_a", october.Add(time.Hour))
		if check(t, err); november != 100 {
			t.Errorf("a return for October leaves %d used in November, want 100", november)
		}
		check(t, s.ReturnQuota(ctx, Reservation{Key: "key_a", Month: monthOf(october), Units: -50}))
		reserve(october, 0, 101, 0, 1)
		check(t, s.ReturnQuota(ctx, Reservation{Key: "key_b", Month: monthOf(october), Units: 1000}))
	})
}

// TestQuotaIsNeverExceeded has many callers, on two nodes where the engine
// allows, reserve and give back until nothing is left.
func TestQuotaIsNeverExceeded(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		nodes := []*Store{open(t, o)}
		if o.DatabaseURL != "" {
			nodes = append(nodes, open(t, o))
		}
		const limit = 2_003
		at := time.Now()
		var used atomic.Int64
		noErrors(t, together(8, func(i int) error {
			node := nodes[i%len(nodes)]
			for {
				r, err := node.ReserveQuota(t.Context(), "key", at, 20, limit)
				if err != nil || r.Units == 0 {
					return err
				}
				back := r.Units / 3
				used.Add(r.Units - back)
				r.Units = back
				if err := node.ReturnQuota(t.Context(), r); err != nil {
					return err
				}
			}
		}))
		if used.Load() != limit {
			t.Errorf("%d units were used of %d", used.Load(), limit)
		}
		stored, err := nodes[0].QuotaUsed(t.Context(), "key", at)
		check(t, err)
		if stored != limit {
			t.Errorf("%d units are stored as used of %d", stored, limit)
		}
	})
}
