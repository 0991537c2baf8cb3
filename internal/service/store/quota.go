package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ReturnQuota returns r.Units, which were reserved and not used, and commits.
func (s *Store) ReturnQuota(ctx context.Context, r Reservation) error {
	if r.Units <= 0 {
		return nil
	}
	return s.write(ctx, "return quota", func(ctx context.Context, tx *sql.Tx) error {
		return giveBackQuota(ctx, tx, r)
	})
}

func giveBackQuota(ctx context.Context, tx *sql.Tx, r Reservation) error {
	line, err := lineOf(ctx, tx, r.Key)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE quotas SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END WHERE api_key = $1 AND month = $2`,
		line, millisOf(r.Month), r.Units)
	return err
}

// QuotaUsed returns how many units of the key's quota for the month of at are
// used or reserved, by the key and by those that it replaces.
func (s *Store) QuotaUsed(ctx context.Context, key string, at time.Time) (used int64, err error) {
	err = s.read(ctx, "read quota", func(ctx context.Context, db *sql.DB) error {
		line, err := lineOf(ctx, db, key)
		if err != nil {
			return err
		}
		err = db.QueryRowContext(ctx, `SELECT used FROM quotas WHERE api_key = $1 AND month = $2`, line, millisOf(monthOf(at))).Scan(&used)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return used, err
}
