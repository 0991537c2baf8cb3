package store

import (
	"context"
	"database/sql"
)

// AddSegment stores rows of a list that is arriving, of which the first has a
// number, and the batches of their addresses, in one transaction.
func (s *Store) AddSegment(ctx context.Context, job string, segment, first int64, data []byte, batches []Batch) error {
	return s.write(ctx, "store rows", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO job_segments (job, segment, first_row, data) VALUES ($1, $2, $3, $4)`,
			job, segment, first, append([]byte{}, data...)); err != nil {
			return err
		}
		return addBatches(ctx, tx, job, batches)
	})
}

// AddResults stores results that a segment of a list that is arriving has
// already. [Store.StartJob] is told their counters.
func (s *Store) AddResults(ctx context.Context, job string, segment int64, data []byte) error {
	return s.write(ctx, "store results", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO job_results (job, segment, batch, part, data) VALUES ($1, $2, 0, 0, $3)`,
			job, segment, data)
		return err
	})
}

// JobSegments returns the number of the first row of each segment of a job, in
// order; -1 where an earlier version has stored it.
func (s *Store) JobSegments(ctx context.Context, job string) (first []int64, err error) {
	err = s.read(ctx, "read rows", func(ctx context.Context, db *sql.DB) error {
		scan := func(row scanner) (n int64, err error) { return n, row.Scan(&n) }
		first, err = collect(ctx, db, scan, `SELECT first_row FROM job_segments WHERE job = $1 ORDER BY segment`, job)
		return err
	})
	return first, err
}

// JobSegment returns the rows of a segment, and what batches have brought of
// its results so far. [ErrNotFound]: the job is deleted.
func (s *Store) JobSegment(ctx context.Context, job string, segment int64) (data []byte, results [][]byte, err error) {
	err = s.snapshot(ctx, "read rows", func(ctx context.Context, tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `
			SELECT data FROM job_segments WHERE job = $1 AND segment = $2 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND deleted = 0)`,
			job, segment).Scan(&data); err != nil {
			return err
		}
		scan := func(row scanner) (octets []byte, err error) { return octets, row.Scan(&octets) }
		results, err = collect(ctx, tx, scan,
			`SELECT data FROM job_results WHERE job = $1 AND segment = $2 ORDER BY batch, part`, job, segment)
		return err
	})
	return data, results, err
}
