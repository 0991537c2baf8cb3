package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Reservation is a block of a key's monthly quota that nobody else can use any more.
type Reservation struct {
	Key   string    // the ID
	Month time.Time // its beginning, in UTC
	Units int64     // how many were granted; zero: the quota is used up
}

// ReserveQuota takes up to want units from the quota of the key for the month of at, of which limit is the whole, and commits. The units of
// all nodes together never go beyond limit. Reserve about as many as are used in a second: what a killed process has reserved and not used
// is lost to the key until the month ends.
func (s *Store) ReserveQuota(ctx context.Context, key string, at time.Time, want, limit int64) (Reservation, error) {
	r := Reservation{Key: key, Month: monthOf(at)}
	if want <= 0 || limit <= 0 {
		return r, nil
	}
	err := s.write(ctx, "reserve quota", func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `
			INSERT INTO quotas (api_key, month, used, granted)
			VALUES ($1, $2,
				CASE WHEN CAST($3 AS BIGINT) < CAST($4 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END,
				CASE WHEN CAST($3 AS BIGINT) < CAST($4 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END)
			ON CONFLICT (api_key, month) DO UPDATE SET
				used = quotas.used + CASE WHEN $3 < $4 - quotas.used THEN $3 ELSE $4 - quotas.used END,
				granted = CASE WHEN $3 < $4 - quotas.used THEN $3 ELSE $4 - quotas.used END
			WHERE quotas.used < $4
			RETURNING granted`, key, millisOf(r.Month), want, limit).Scan(&r.Units)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // used up
		}
		return err
	})
	if err != nil {
		r.Units = 0
	}
	return r, err
}

// ReturnQuota gives back r.Units, which were reserved and not used, and commits.
func (s *Store) ReturnQuota(ctx context.Context, r Reservation) error {
	if r.Units <= 0 {
		return nil
	}
	return s.write(ctx, "return quota", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE quotas SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END WHERE api_key = $1 AND month = $2`,
			r.Key, millisOf(r.Month), r.Units)
		return err
	})
}

// QuotaUsed returns how many units of the key's quota for the month of at are used or reserved.
func (s *Store) QuotaUsed(ctx context.Context, key string, at time.Time) (used int64, err error) {
	err = s.read(ctx, "read quota", func(ctx context.Context, db *sql.DB) error {
		err := db.QueryRowContext(ctx, `SELECT used FROM quotas WHERE api_key = $1 AND month = $2`, key, millisOf(monthOf(at))).Scan(&used)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return used, err
}
