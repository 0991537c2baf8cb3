package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A list goes on while its key may be used. When that is revoked, its lists are
// paused; when it expires, too, unless a key that replaced it may be used. They
// can be resumed by whoever sees them, and stay so.

// mayUse is the condition for keys that may be used, or one of whose successors
// may; $1 is the present.
const mayUse = `WITH RECURSIVE mayuse (id, replaces) AS (
	SELECT id, replaces FROM api_keys WHERE revoked = 0 AND (expires = 0 OR expires > $1)
	UNION SELECT k.id, k.replaces FROM api_keys k JOIN mayuse ON k.id = mayuse.replaces) `

// orphaned is the condition for lists that are paused because of their key; k
// is its row. It needs mayUse before the statement.
const orphaned = `state IN ('queued', 'running') AND deleted = 0 AND EXISTS (
	SELECT 1 FROM api_keys k WHERE k.id = jobs.api_key AND (k.revoked > 0 AND k.revoked >= jobs.resumed
		OR k.revoked = 0 AND k.expires > 0 AND k.expires <= $1 AND k.expires >= jobs.resumed
			AND k.id NOT IN (SELECT id FROM mayuse)))`

// keyEnded is why such a list stands.
const keyEnded = "Its key was revoked or has expired."

// PauseOrphans pauses the lists of keys that have ended, and returns how many.
func (s *Store) PauseOrphans(ctx context.Context) (paused int64, err error) {
	now := millisOf(s.now())
	found := false // this spares nodes a transaction
	err = s.read(ctx, "look for lists without a key", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, mayUse+`SELECT EXISTS (SELECT 1 FROM jobs WHERE `+orphaned+`)`, now).Scan(&found)
	})
	if err != nil || !found {
		return 0, err
	}
	err = s.write(ctx, "pause lists without a key", func(ctx context.Context, tx *sql.Tx) error {
		paused, err = pauseOrphans(ctx, tx, now)
		return err
	})
	s.jobsChanged()
	return paused, err
}

func pauseOrphans(ctx context.Context, tx *sql.Tx, now millis) (paused int64, err error) {
	result, err := tx.ExecContext(ctx, mayUse+`UPDATE jobs SET state = 'paused', problem = $2 WHERE `+orphaned, now, keyEnded)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// keyMayBegin fails with [ErrKeyEnded] if a key may not make lists any more. It
// keeps the key from ending before the transaction does. Keys that are not in
// the store are none of its business.
func keyMayBegin(ctx context.Context, tx *sql.Tx, id string, now millis) error {
	key, err := lockKey(ctx, tx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil && (!key.Usable(now.time()) || !key.May(ScopeBulk)) {
		return fmt.Errorf("%w: %s", ErrKeyEnded, key.ID)
	}
	return err
}

// CancelJobsOfKey cancels the lists of a key that have not ended, and returns
// how many.
func (s *Store) CancelJobsOfKey(ctx context.Context, by Actor, key string) (cancelled int, err error) {
	var ids []string
	err = s.read(ctx, "read jobs", func(ctx context.Context, db *sql.DB) (err error) {
		scan := func(row scanner) (id string, err error) { return id, row.Scan(&id) }
		ids, err = collect(ctx, db, scan, `
			SELECT id FROM jobs WHERE api_key = $1 AND state IN ('queued', 'running', 'paused') AND deleted = 0`, storable(key))
		return err
	})
	for _, id := range ids {
		if err == nil {
			_, err = s.CancelJob(ctx, by, id)
		}
		if errors.Is(err, ErrState) || errors.Is(err, ErrNotFound) { // it has ended meanwhile
			err = nil
			continue
		}
		if err != nil {
			return cancelled, err
		}
		cancelled++
	}
	return cancelled, err
}
