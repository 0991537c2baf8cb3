package store

import (
	"context"
	"database/sql"
)

// JobLeft returns what is left to ask of a job, on whatever node: how many
// addresses of each large domain, and of the small ones together, and how many
// of them wait for a later time.
func (s *Store) JobLeft(ctx context.Context, job string) (left []LeftAt, err error) {
	scan := func(row scanner) (l LeftAt, err error) {
		var later int
		var first, last millis
		err = row.Scan(&l.Domain, &later, &l.Addresses, &first, &last)
		l.Later, l.First, l.Last = later != 0, first.time(), last.time()
		return l, err
	}
	err = s.read(ctx, "read batches", func(ctx context.Context, db *sql.DB) error {
		left, err = collect(ctx, db, scan, `
			SELECT domain, later, SUM(addresses), MIN(run_after), MAX(run_after)
			FROM (SELECT domain, addresses, run_after, CASE WHEN run_after > $2 THEN 1 ELSE 0 END AS later
				FROM job_batches WHERE job = $1) AS batches
			GROUP BY domain, later ORDER BY domain, later`, job, millisOf(s.now()))
		return err
	})
	return left, err
}
