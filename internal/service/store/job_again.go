package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// AgainJob lets some addresses of a job that is done be asked about again: they
// are in the batches, which say what result each has. The job must be as it was
// read, or the error is [ErrState]. It is queued again, and its addresses keep
// their results until they have others. They count for the quota of its key
// like new ones. It expires at the time given, if that is later. All of it is
// one transaction, with the request that led to it, if it has a token.
func (s *Store) AgainJob(
	ctx context.Context, by Actor, j Job, batches []Batch, expires time.Time, request *JobRequest,
) (Job, error) {
	read := j
	j, err := s.changeJob(ctx, by, rows.ListAgain, j.ID, func(ctx context.Context, tx *sql.Tx, j Job) error {
		if j.State != JobDone || !j.Finished.Equal(read.Finished) {
			return ErrState
		}
		if err := s.takeAgain(ctx, tx, j, batches, expires); err != nil {
			return err
		}
		if request == nil {
			return nil
		}
		return keepRequest(ctx, tx, request, j.ID)
	})
	return j, err
}

// takeAgain changes the row and the counters of a job, and adds the batches.
func (s *Store) takeAgain(ctx context.Context, tx *sql.Tx, j Job, batches []Batch, expires time.Time) error {
	now := millisOf(s.now())
	if err := keyMayBegin(ctx, tx, j.Key, now); err != nil {
		return err
	}
	counts := map[[2]string]int64{}
	taken := Job{Key: j.Key, Created: s.now()}
	for _, b := range batches {
		counts[[2]string{b.KeptResult, b.KeptReason}] += int64(b.Addresses)
		taken.Addresses += int64(b.Addresses)
	}
	var quota int64
	scan := func(row scanner) (n int64, err error) { return n, row.Scan(&n) }
	limits, err := collect(ctx, tx, scan, `SELECT quota FROM api_keys WHERE id = $1`, storable(j.Key))
	if err != nil {
		return err
	}
	if len(limits) > 0 {
		quota = limits[0]
	}
	month, err := takeQuota(ctx, tx, taken, quota)
	if err != nil {
		return err
	}
	for of, n := range counts {
		if _, err := tx.ExecContext(ctx, `UPDATE job_counts SET addresses = addresses - $4 WHERE job = $1 AND result = $2 AND reason = $3`,
			j.ID, of[0], of[1], n); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM job_counts WHERE job = $1 AND addresses = 0`, j.ID); err != nil {
		return err
	}
	if err := changeGroups(ctx, tx, j.ID, keptGroups(batches), -1); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE jobs SET state = 'queued', problem = '', started = 0, finished = 0, done = done - $2, quota_month = $3, resumed = $5,
			progress = CASE WHEN progress = 0 THEN 0 ELSE (done - $2) * 10 / addresses + 1 END,
			expires = CASE WHEN expires < $4 THEN $4 ELSE expires END
		WHERE id = $1`, j.ID, taken.Addresses, millisOf(month), millisOf(expires), now+1)
	if err != nil {
		return err
	}
	return addBatches(ctx, tx, j.ID, batches)
}

// keepRequest keeps what a request with a token has led to.
func keepRequest(ctx context.Context, tx *sql.Tx, request *JobRequest, job string) error {
	return held(tx.ExecContext(ctx, `UPDATE job_requests SET body = $3, job = $4, node = '' WHERE owner = $1 AND token = $2 AND job = ''`,
		request.Owner, octets(request.Token), octets(request.Body), job))
}

// keepResults gives the addresses of a job that were to be asked about again,
// and will not be, their results back.
func keepResults(ctx context.Context, tx *sql.Tx, job string) error {
	scan := func(row scanner) (b Batch, err error) {
		return b, row.Scan(&b.KeptResult, &b.KeptReason, &b.KeptGroup, &b.Addresses, &b.Rows)
	}
	kept, err := collect(ctx, tx, scan, `
		SELECT kept_result, kept_reason, kept_group, SUM(addresses), SUM(row_count) FROM job_batches
		WHERE job = $1 AND kept_result <> '' GROUP BY kept_result, kept_reason, kept_group`, job)
	if err != nil || len(kept) == 0 {
		return err
	}
	sums := make(map[[2]string]int64)
	var n int64
	for _, b := range kept {
		sums[[2]string{b.KeptResult, b.KeptReason}] += int64(b.Addresses)
		n += int64(b.Addresses)
	}
	var counts [][]any
	for of, sum := range sums {
		counts = append(counts, []any{job, of[0], of[1], sum})
	}
	if err := upsertCounts.run(ctx, tx, counts); err != nil {
		return err
	}
	if err := changeGroups(ctx, tx, job, keptGroups(kept), 1); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET done = done + $2 WHERE id = $1`, job, n)
	return err
}
