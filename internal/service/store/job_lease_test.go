package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFreeBatches: a node gives back what it does not know of, and nothing of
// what it holds, of other jobs or of other nodes.
func TestFreeBatches(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "one")
		j, other := someJob(t, s, "acme"), someJob(t, s, "acme")
		mine := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4})
		lease(t, s, BatchQuery{Job: other.ID, Node: "one", Limit: 4})
		if len(mine) != 4 {
			t.Fatalf("leased %d", len(mine))
		}
		held := map[int64]int64{mine[0].ID: mine[0].Claim, mine[1].ID: mine[1].Claim - 1, mine[2].ID: mine[2].Claim}
		check(t, s.FreeBatches(t.Context(), "another", j.ID, nil))
		if free := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4}); len(free) != 0 {
			t.Errorf("another node gave back %d", len(free))
		}
		check(t, s.FreeBatches(t.Context(), "one", j.ID, held))
		free := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4})
		if len(free) != 2 || free[0].ID != mine[1].ID || free[1].ID != mine[3].ID {
			t.Errorf("free are %+v, held %v", free, held)
		}
		if free := lease(t, s, BatchQuery{Job: other.ID, Node: "one", Limit: 4}); len(free) != 0 {
			t.Errorf("%d of another job", len(free))
		}
		if lost := settle(t, s, "one", settled(mine[0]), settled(mine[1])); lost[0] || !lost[1] {
			t.Errorf("lost %v", lost)
		}
	})
}

// TestBatchForAnEgress: a batch that is to be asked about from an egress waits
// for a node with that egress, as long as there is one alive.
func TestBatchForAnEgress(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		alive := clock.Now().Add(time.Minute)
		check(t, s.JoinJobs(t.Context(), "one", "first", alive))
		j := someJob(t, s, "acme")
		for i, b := range lease(t, s, BatchQuery{Job: j.ID, Node: "one", Egress: "first", Limit: 10}) {
			done := settled(b)
			if i == 0 {
				due := clock.Now().Add(30 * time.Second)
				done.Counts = nil
				done.Later = []Batch{{Addresses: b.Addresses, Egress: "first", Retry: true, RunAfter: due, Data: []byte("later")}}
			}
			settle(t, s, "one", done)
		}
		clock.Advance(30 * time.Second)
		free := func(egress string, want bool) {
			t.Helper()
			due, err := s.NextBatch(t.Context(), j.ID, egress)
			if check(t, err); due.IsZero() == want {
				t.Errorf("%s: next batch at %v, free: %v", egress, due, want)
			}
		}
		if s.db.file == "" { // an embedded database has one node
			check(t, s.JoinJobs(t.Context(), "two", "second", clock.Now().Add(time.Hour)))
			free("second", false)
			if early := lease(t, s, BatchQuery{Job: j.ID, Node: "two", Egress: "second", Limit: 10}); len(early) != 0 {
				t.Errorf("another egress has %+v", early)
			}
		}
		free("first", true)
		clock.Advance(30 * time.Second) // the node is given up for lost
		check(t, s.JoinJobs(t.Context(), "two", "second", clock.Now().Add(time.Hour)))
		free("second", true)
		if got := lease(t, s, BatchQuery{Job: j.ID, Node: "two", Egress: "second", Limit: 10}); len(got) != 1 || !got[0].Retry {
			t.Errorf("leased %+v", got)
		}
	})
}

// TestJobStatesOfManyJobs: jobs that a node works on are among the first,
// however many have less left.
func TestJobStatesOfManyJobs(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		j := someJob(t, s, "acme")
		copyJob(t, s, j.ID, maxJobs)
		active, err := s.JobStates(ctx, nil)
		check(t, err)
		last := fmt.Sprint("copy", maxJobs)
		has := func() bool { return slices.ContainsFunc(active, func(one Job) bool { return one.ID == last }) }
		if len(active) != maxJobs || has() {
			t.Fatalf("%d jobs, the last one: %v", len(active), has())
		}
		active, err = s.JobStates(ctx, []string{last, "copy1", "unknown"})
		check(t, err)
		if len(active) != maxJobs || !has() || active[0].ID != j.ID || active[1].ID != "copy1" {
			t.Errorf("%d jobs, the last one: %v; %s, %s", len(active), has(), active[0].ID, active[1].ID)
		}
	})
}

// copyJob copies a job n times. The copies have more left, each more than the
// one before.
func copyJob(t *testing.T, s *Store, id string, n int) {
	t.Helper()
	check(t, s.write(t.Context(), "copy a job", func(ctx context.Context, tx *sql.Tx) error {
		none, err := tx.QueryContext(ctx, `SELECT * FROM jobs WHERE id = ''`)
		check(t, err)
		columns, err := none.Columns()
		check(t, errors.Join(err, none.Close()))
		values := strings.NewReplacer(" id,", " 'copy' || n,", " addresses,", " addresses + n,").Replace(" " + strings.Join(columns, ", ") + ", ")
		_, err = tx.ExecContext(ctx, `INSERT INTO jobs (`+strings.Join(columns, ", ")+`)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $2)
			SELECT `+strings.TrimSuffix(strings.TrimSpace(values), ",")+` FROM jobs, numbers WHERE id = $1`, id, n)
		return err
	}))
}
