//go:build unix

package store

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSpaceOfDeletedJobs: nothing of a deleted job is left in any table, and
// the next one takes its space.
func TestSpaceOfDeletedJobs(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "node")
		var first int64
		for round := range 4 {
			wholeJob(t, s)
			check(t, s.Purge(t.Context()))
			for _, table := range []string{
				"jobs", "job_segments", "job_batches", "job_results", "job_counts", "job_groups", "job_requests", "webhooks",
			} {
				wantRows(t, s, table, 0)
			}
			octets := sizeOf(t, s, o)
			if round == 0 {
				first = octets
			}
			if octets > first+first/20 {
				t.Errorf("%d octets after job %d, %d after the first", octets, round+1, first)
			}
		}
	})
}

// wholeJob is a job of four megabytes, which is done and deleted.
func wholeJob(t *testing.T, s *Store) {
	t.Helper()
	ctx, segment := t.Context(), make([]byte, 200<<10)
	request := JobRequest{Owner: "acme", Token: HashOf("token"), Body: HashOf("body")}
	_, _, err := s.ClaimJobRequest(ctx, "node", request, time.Now().Add(time.Hour))
	check(t, err)
	j, err := s.BeginJob(ctx, "node", Job{Owner: "acme", Key: "key", Webhook: "https://receiver.example/"}, 0, segment)
	check(t, err)
	const segments = 20
	for number := range int64(segments) {
		_, _ = rand.Read(segment) // it cannot be compressed
		check(t, s.AddSegment(ctx, j.ID, number, number, segment, []Batch{{Segment: number, Addresses: 1, Data: segment[:20<<10]}}))
	}
	j, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Rows: segments, Addresses: segments, Segments: segments}, &request)
	check(t, err)
	for range segments {
		for _, b := range lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: segments}) {
			done := settled(b)
			done.Results = segment[:20<<10]
			settle(t, s, "node", done)
		}
	}
	if j, err = s.Job(ctx, j.ID); err != nil || j.State != JobDone {
		t.Fatalf("the job is %s: %v", j.State, err)
	}
	check(t, s.DeleteJob(ctx, ByCommand("test"), j.ID))
}

// sizeOf is how large a database is; autovacuum does by itself what is done
// here for PostgreSQL.
func sizeOf(t *testing.T, s *Store, o Options) (octets int64) {
	t.Helper()
	if o.DatabaseURL != "" {
		_, err := s.db.writer.ExecContext(t.Context(), `VACUUM`)
		check(t, err)
		check(t, s.db.reader.QueryRowContext(t.Context(), `SELECT pg_database_size(current_database())`).Scan(&octets))
		return octets
	}
	files, err := filepath.Glob(filepath.Join(o.DataDir, "rcpt.db*"))
	check(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		check(t, err)
		octets += info.Size()
	}
	return octets
}
