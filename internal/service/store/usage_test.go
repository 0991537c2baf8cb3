//go:build unix

package store

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/testkit"
)

func TestUsage(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		now := newClock() // an hour before midnight
		o.Now = now.Now
		s, ctx := open(t, o), t.Context()
		use := Use{Key: "key_a", At: now.Now(), Result: "deliverable", Reason: "recipient_accepted", Duration: 700 * time.Millisecond}
		s.RecordUse(use)
		use.Duration = 20 * time.Second
		s.RecordUse(use)
		check(t, s.Flush(ctx))
		use.Duration = 800 * time.Millisecond
		s.RecordUse(use)
		use.Cached, use.Duration = true, time.Microsecond
		s.RecordUse(use)
		now.Advance(time.Hour)
		use.At, use.Key, use.Duration = now.Now(), "key_b", 48*time.Hour
		s.RecordUse(use)
		check(t, s.Flush(ctx))

		day := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
		asked := Usage{Key: "key_a", Day: day, Result: "deliverable", Reason: "recipient_accepted", Count: 3, Duration: 21500 * time.Millisecond}
		asked.Latency[bucketOf(time.Second)], asked.Latency[bucketOf(30*time.Second)] = 2, 1
		known := Usage{Key: "key_a", Day: day, Result: "deliverable", Reason: "recipient_accepted", Cached: true, Count: 1}
		known.Latency[0] = 1
		next := Usage{Key: "key_b", Day: day.AddDate(0, 0, 1), Result: "deliverable", Reason: "recipient_accepted", Cached: true, Count: 1, Duration: 48 * time.Hour}
		next.Latency[len(LatencyBounds)-1] = 1
		for _, c := range []struct {
			query UsageQuery
			want  []Usage
		}{
			{UsageQuery{From: day}, []Usage{asked, known, next}},
			{UsageQuery{From: day, Key: "key_a"}, []Usage{asked, known}},
			{UsageQuery{From: day.Add(25 * time.Hour)}, []Usage{next}},
			{UsageQuery{From: day, To: day.Add(5 * time.Hour)}, []Usage{asked, known}},
			{UsageQuery{From: day, Key: "key_c"}, nil},
		} {
			got, err := s.Usage(ctx, c.query)
			check(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v: %s", c.query, diff)
			}
		}
	})
}

// TestUsageOfManyAtOnce counts from many goroutines, while commits go on, and
// through two stores on one database where the engine allows.
func TestUsageOfManyAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		nodes := []*Store{open(t, o)}
		if o.DatabaseURL != "" {
			nodes = append(nodes, open(t, o))
		}
		const callers, each = 8, 500
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				for j := range each {
					nodes[i%len(nodes)].RecordUse(Use{Key: string(rune('a' + j%7)), At: time.Now(), Result: "unknown", Reason: string(rune('a' + j%5))})
					if j%50 == 0 {
						nodes[i%len(nodes)].TouchKey(string(rune('a'+j%7)), time.Now())
						check(t, nodes[i%len(nodes)].Flush(t.Context()))
					}
				}
			})
		}
		all.Wait()
		for _, node := range nodes {
			check(t, node.Flush(t.Context()))
		}
		rows, err := nodes[0].Usage(t.Context(), UsageQuery{})
		check(t, err)
		sum := int64(0)
		for _, row := range rows {
			sum += row.Count
		}
		if sum != callers*each {
			t.Errorf("%d uses were counted, want %d", sum, callers*each)
		}
	})
}

func TestQueueIsCommittedByItself(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		s.RecordUse(Use{Key: "a", At: time.Now()})
		began := time.Now()
		testkit.Eventually(t, "the use is committed", func() bool {
			rows, err := s.Usage(t.Context(), UsageQuery{})
			return err == nil && len(rows) == 1 && s.Stats().Commits > 0 // the row is there a moment before it is counted
		})
		t.Logf("committed after %v", time.Since(began))
		if stats := s.Stats(); stats.Commits != 1 || stats.Queued != 0 || stats.Dropped != 0 {
			t.Errorf("%+v", stats)
		}
	})
}

func TestCloseCommitsTheQueue(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		s.RecordUse(Use{Key: "a", At: time.Now()})
		check(t, s.Close())
		rows, err := open(t, o).Usage(t.Context(), UsageQuery{})
		check(t, err)
		if len(rows) != 1 {
			t.Error("a use that was queued when the store was closed is lost")
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	q := newQueue()
	for i := range maxQueued + 5 {
		q.touch(string(rune('a'+i%26))+time.Duration(i).String(), 1)
	}
	if stats := q.stats(); stats.Queued != maxQueued || stats.Dropped != 5 {
		t.Errorf("%+v", stats)
	}
	q.take()
	q.settle(0, false)
	for i := range maxQueued + 7 {
		q.touch(time.Duration(i).String(), 2)
	}
	if stats := q.stats(); stats.Queued != 2*maxQueued || stats.Dropped != 12 || stats.Failures != 1 {
		t.Errorf("after a commit that failed: %+v", stats)
	}
}
