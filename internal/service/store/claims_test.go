//go:build unix

package store

import (
	"fmt"
	"testing"
	"time"
)

// nestedLoops makes PostgreSQL plan as it may with the statistics of other
// days: a sub-select is run anew for each row.
const nestedLoops = "&enable_hashjoin=off&enable_mergejoin=off&enable_hashagg=off&enable_sort=off&enable_material=off"

// claim is a statement that takes up to a number of rows for a node.
type claim struct {
	name string
	fill func(t *testing.T, s *Store, rows int) (id string)
	take func(t *testing.T, s *Store, id string, limit int) int
}

var claims = []claim{
	{"batches", func(t *testing.T, s *Store, n int) string {
		return jobOfBatches(t, s, n)
	}, func(t *testing.T, s *Store, id string, limit int) int {
		return len(lease(t, s, BatchQuery{Job: id, Node: "node", Limit: limit}))
	}},
	{"webhooks", func(t *testing.T, s *Store, n int) string {
		for i := range n {
			_, err := s.AddWebhook(t.Context(), ByCommand("test"), Webhook{
				Key: fmt.Sprint("key", i), Event: "test", URL: fmt.Sprintf("https://hooks%d.example/", i), Body: []byte("{}"),
			})
			check(t, err)
		}
		return ""
	}, func(t *testing.T, s *Store, _ string, limit int) int {
		all, err := s.ClaimWebhooks(t.Context(), limit, limit, limit, time.Minute)
		check(t, err)
		return len(all)
	}},
	{"rechecks", func(t *testing.T, s *Store, n int) string {
		now := s.now()
		for i := range n {
			s.ScheduleRecheck(Recheck{Address: fmt.Sprintf("a%d@acme.example", i), RunAfter: now, GiveUp: now.Add(time.Hour)})
		}
		check(t, s.Flush(t.Context()))
		return ""
	}, func(t *testing.T, s *Store, _ string, limit int) int {
		all, err := s.ClaimRechecks(t.Context(), "", limit, time.Minute)
		check(t, err)
		return len(all)
	}},
}

func jobOfBatches(t *testing.T, s *Store, n int) string {
	t.Helper()
	ctx := t.Context()
	j, err := s.BeginJob(ctx, "node", Job{Owner: "acme", Key: "key", Format: "csv"}, 0, []byte("head"))
	check(t, err)
	batches := make([]Batch, n)
	for i := range batches {
		batches[i] = Batch{Addresses: 10, Data: []byte("data")}
	}
	check(t, s.AddSegment(ctx, j.ID, 0, 0, []byte("rows"), batches))
	_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Rows: int64(n) * 10, Addresses: int64(n) * 10, Segments: 1}, nil)
	check(t, err)
	return j.ID
}

// TestClaimsKeepTheirLimit: whatever plan the database makes, a claim takes as
// many rows as it asks for. A node that got more would hold a whole list.
func TestClaimsKeepTheirLimit(t *testing.T) {
	for _, c := range claims {
		t.Run(c.name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, o Options) {
				if o.DatabaseURL != "" {
					o.DatabaseURL += nestedLoops
				}
				s := open(t, o)
				join(t, s, "node")
				id := c.fill(t, s, 60)
				for _, limit := range []int{4, 1, 7} {
					if n := c.take(t, s, id, limit); n != limit {
						t.Errorf("%d are taken, %d were asked for", n, limit)
					}
				}
			})
		})
	}
}

// TestLeaseBesideOlderLists: the statistics are of a list before, and say that
// there are no batches of this one.
func TestLeaseBesideOlderLists(t *testing.T) {
	s := open(t, postgresEngine.empty(t))
	join(t, s, "node")
	jobOfBatches(t, s, 3000)
	for _, statement := range []string{
		`ALTER TABLE job_batches SET (autovacuum_enabled = off)`, `ANALYZE job_batches`, `ANALYZE job_nodes`,
	} {
		_, err := s.db.writer.ExecContext(t.Context(), statement)
		check(t, err)
	}
	id := jobOfBatches(t, s, 200)
	for range 3 {
		if got := lease(t, s, BatchQuery{Job: id, Node: "node", Limit: 4}); len(got) != 4 {
			t.Errorf("%d are leased, 4 were asked for", len(got))
		}
	}
}

// TestLeaseIsCommittedLate: a node has lost the connection on which it leased
// batches, and the database commits that only after it has begun to give back
// what it does not know of. Nothing stays with the node.
func TestLeaseIsCommittedLate(t *testing.T) {
	s := open(t, postgresEngine.empty(t))
	ctx := t.Context()
	join(t, s, "node")
	id := jobOfBatches(t, s, 10)
	tx, err := s.db.writer.BeginTx(ctx, nil)
	check(t, err)
	lost, err := s.lease(ctx, tx, BatchQuery{Job: id, Node: "node", Limit: 4})
	if check(t, err); len(lost) != 4 {
		t.Fatalf("leased %d", len(lost))
	}
	freed := make(chan error)
	go func() { freed <- s.FreeBatches(ctx, "node", id, nil) }()
	select {
	case err := <-freed:
		check(t, tx.Commit())
		freed = make(chan error, 1)
		freed <- err
	case <-time.After(200 * time.Millisecond): // it waits
		check(t, tx.Commit())
	}
	check(t, <-freed)
	if got := lease(t, s, BatchQuery{Job: id, Node: "node", Limit: 10}); len(got) != 10 {
		t.Errorf("%d of 10 batches can be leased", len(got))
	}
}
