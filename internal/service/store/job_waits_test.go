//go:build unix

package store

import (
	"testing"
	"time"
)

// TestJobWaits: what is asked again later is counted until its time.
func TestJobWaits(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		join(t, s, "a")
		j := someJob(t, s, "owner")
		expect := func(want int64, due time.Time) {
			t.Helper()
			got, next, err := s.JobWaits(t.Context(), j.ID)
			check(t, err)
			if got != want || !next.Equal(due) {
				t.Errorf("%d wait until %v, want %d until %v", got, next, want, due)
			}
		}
		expect(0, time.Time{})
		first := lease(t, s, BatchQuery{Job: j.ID, Node: "a", Limit: 1})[0]
		due := clock.Now().Add(5 * time.Minute)
		settle(t, s, "a", Settlement{Batch: first, Later: []Batch{
			{Segment: first.Segment, Retry: true, RunAfter: due.Add(time.Minute), Addresses: 3, Data: []byte("x")},
			{Segment: first.Segment, Retry: true, RunAfter: due, Addresses: 7, Data: []byte("y")},
		}})
		expect(10, due)
		clock.Advance(5 * time.Minute)
		expect(3, due.Add(time.Minute))
	})
}
