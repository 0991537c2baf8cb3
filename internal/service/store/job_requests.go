package store

import (
	"context"
	"database/sql"
	"time"
)

// requestsKept is how long a client can repeat a request without sending its
// list a second time.
const requestsKept = 24 * time.Hour

// ClaimJobRequest notes that a request with a token is in progress on the node,
// until the time given or [Store.RenewJobRequest]. If it has led to a job
// before, job is that one's ID and body what was sent. [ErrInProgress]: it is
// in progress already.
func (s *Store) ClaimJobRequest(
	ctx context.Context, node string, r JobRequest, until time.Time,
) (job string, body Hash, err error) {
	err = s.write(ctx, "claim request", func(ctx context.Context, tx *sql.Tx) error {
		job, body = "", Hash{}
		now := s.now()
		result, err := tx.ExecContext(ctx, `
			INSERT INTO job_requests (owner, token, body, job, node, at, until) VALUES ($1, $2, $3, '', $4, $5, $7)
			ON CONFLICT (owner, token) DO UPDATE SET
				body = excluded.body, job = '', node = excluded.node, at = excluded.at, until = excluded.until
			WHERE job_requests.at <= $6 OR job_requests.job = '' AND (
				job_requests.until <= $5 OR job_requests.node NOT IN (SELECT node FROM job_nodes WHERE alive > $5))`,
			storable(r.Owner), octets(r.Token), octets(Hash{}), node, millisOf(now), millisOf(now.Add(-requestsKept)),
			millisOf(until))
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed > 0 {
			return err
		}
		err = tx.QueryRowContext(ctx, `SELECT job, body FROM job_requests WHERE owner = $1 AND token = $2`, storable(r.Owner), octets(r.Token)).
			Scan(&job, (*octets)(&body))
		if err == nil && job == "" {
			err = ErrInProgress
		}
		return err
	})
	return job, body, err
}

// RenewJobRequest prolongs a claim that ends at a time, to another.
// [ErrLeaseLost]: it is no longer that of the node.
func (s *Store) RenewJobRequest(ctx context.Context, node string, r JobRequest, from, to time.Time) error {
	return s.write(ctx, "renew request", func(ctx context.Context, tx *sql.Tx) error {
		return held(tx.ExecContext(ctx, `
			UPDATE job_requests SET until = $5 WHERE owner = $1 AND token = $2 AND job = '' AND node = $3 AND until = $4`,
			storable(r.Owner), octets(r.Token), node, millisOf(from), millisOf(to)))
	})
}

// ForgetJobRequest takes back a claim that ends at a time: the request has led
// to nothing.
func (s *Store) ForgetJobRequest(ctx context.Context, node string, r JobRequest, until time.Time) error {
	return s.write(ctx, "forget request", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM job_requests WHERE owner = $1 AND token = $2 AND job = '' AND node = $3 AND until = $4`,
			storable(r.Owner), octets(r.Token), node, millisOf(until))
		return err
	})
}
