//go:build unix

package store

import (
	"testing"
	"time"
)

// TestJobLeft: what is left is counted by domain, and what is asked again later
// apart until its time.
func TestJobLeft(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		join(t, s, "a")
		j := someJob(t, s, "owner")
		later := func() (n int64, first, last time.Time) {
			t.Helper()
			left, err := s.JobLeft(t.Context(), j.ID)
			check(t, err)
			for _, l := range left {
				if l.Later {
					n += l.Addresses
					first, last = l.First, l.Last
				}
			}
			return n, first, last
		}
		if n, _, _ := later(); n != 0 {
			t.Errorf("%d wait at the start", n)
		}
		first := lease(t, s, BatchQuery{Job: j.ID, Node: "a", Limit: 1})[0]
		due := clock.Now().Add(5 * time.Minute)
		settle(t, s, "a", Settlement{Batch: first, Later: []Batch{
			{Segment: first.Segment, Domain: "acme.example", Retry: true, RunAfter: due.Add(time.Minute), Addresses: 3, Data: []byte("x")},
			{Segment: first.Segment, Domain: "acme.example", Retry: true, RunAfter: due, Addresses: 7, Data: []byte("y")},
		}})
		if n, from, to := later(); n != 10 || !from.Equal(due) || !to.Equal(due.Add(time.Minute)) {
			t.Errorf("%d wait, from %v to %v", n, from, to)
		}
		clock.Advance(5 * time.Minute)
		if n, from, _ := later(); n != 3 || !from.Equal(due.Add(time.Minute)) {
			t.Errorf("%d wait, from %v", n, from)
		}
		left, err := s.JobLeft(t.Context(), j.ID)
		check(t, err)
		var now []LeftAt
		for _, l := range left {
			if !l.Later && l.Domain == "acme.example" {
				now = append(now, l)
			}
		}
		if len(now) != 1 || now[0].Addresses != 7 {
			t.Errorf("due at acme.example: %+v", now)
		}
	})
}
