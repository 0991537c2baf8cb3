package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// RotateKey replaces the key with the ID by a new one, of which hash is the
// hash of the text. The new key has the name, account, scopes, limits, networks
// and expiry of the old one, and both use one monthly quota. The old key works
// until the given time, or until it expires, whichever comes first.
// [ErrNotFound]: there is no such key. [ErrInvalid]: it cannot be used any
// more, or another key replaces it already.
func (s *Store) RotateKey(ctx context.Context, by Actor, id string, hash Hash, until time.Time) (fresh Key, err error) {
	now := millisOf(s.now())
	err = s.write(ctx, "rotate key", func(ctx context.Context, tx *sql.Tx) error {
		old, err := lockKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := replaceable(ctx, tx, old, now.time()); err != nil {
			return err
		}
		fresh = old
		fresh.ID, fresh.Hash, fresh.Replaces, fresh.Created, fresh.LastUsed = newID(rows.KindOfID(old.Test)), hash, old.ID, now.time(), time.Time{}
		if err := insertKey(ctx, tx, fresh); err != nil {
			return err
		}
		if old.Expires.IsZero() || until.Before(old.Expires) {
			if err := one(tx.ExecContext(ctx, `UPDATE api_keys SET expires = $2 WHERE id = $1`, old.ID, millisOf(until))); err != nil {
				return err
			}
		}
		if err := s.recordEvent(ctx, tx, by, Event{
			What: rows.KeyRotated, Object: old.ID, Name: old.Name, Detail: fresh.ID,
		}); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	return fresh, err
}

// replaceable tells what keeps a key from being replaced.
func replaceable(ctx context.Context, tx *sql.Tx, old Key, now time.Time) error {
	if !old.Usable(now) {
		return fmt.Errorf("%w: the key %s is revoked or expired: make a new one instead", ErrInvalid, old.ID)
	}
	var successor string
	switch err := tx.QueryRowContext(ctx, `SELECT id FROM api_keys WHERE replaces = $1 AND revoked = 0`, old.ID).Scan(&successor); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: the key %s is replaced by %s already", ErrInvalid, old.ID, successor)
}
