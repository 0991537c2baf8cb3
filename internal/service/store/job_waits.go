package store

import (
	"context"
	"database/sql"
	"time"
)

// JobWaits returns how many addresses of a job wait for a later time to be
// asked about again, and when the first of them is due.
func (s *Store) JobWaits(ctx context.Context, job string) (waiting int64, next time.Time, err error) {
	err = s.read(ctx, "read batches", func(ctx context.Context, db *sql.DB) error {
		var first sql.NullInt64
		err := db.QueryRowContext(ctx, `
			SELECT COALESCE(SUM(addresses), 0), MIN(run_after) FROM job_batches WHERE job = $1 AND run_after > $2`,
			job, millisOf(s.now())).Scan(&waiting, &first)
		next = millis(first.Int64).time()
		return err
	})
	return waiting, next, err
}
