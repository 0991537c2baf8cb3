package store

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// pollEvery is half of the second within which a revocation must hold on every
// node.
const pollEvery = 500 * time.Millisecond

// The topics whose changes are counted.
const (
	topicKeys     = "keys"
	topicSettings = "settings"
	topicVerdicts = "verdicts"
)

// Versions reads the counters: one cheap query.
func (s *Store) Versions(ctx context.Context) (v Versions, err error) {
	err = s.read(ctx, "read versions", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `
			SELECT COALESCE(MAX(CASE WHEN topic = 'keys' THEN version END), 0),
				COALESCE(MAX(CASE WHEN topic = 'settings' THEN version END), 0),
				COALESCE(MAX(CASE WHEN topic = 'verdicts' THEN version END), 0)
			FROM versions`).Scan(&v.Keys, &v.Settings, &v.Verdicts)
	})
	return v, err
}

// Watch calls changed with versions that differ from seen and, from then on,
// from those of the last successful call: at once for changes made through this
// Store, within pollEvery for others. If changed returns an error it is called
// again. Watch returns when ctx ends.
//
// Read the versions first and the keys afterwards: a change in between then
// causes one call too many, and never one too few.
func (s *Store) Watch(ctx context.Context, seen Versions, changed func(context.Context, Versions) error) {
	failing := false
	for ctx.Err() == nil {
		again := s.changed.next()
		now, err := s.Versions(ctx)
		if err == nil && now != seen {
			if err = changed(ctx, now); err == nil {
				seen = now
			}
		}
		if err != nil && !failing && ctx.Err() == nil {
			s.log.Error("changes cannot be read and are not taken up until they can", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-again:
		case <-time.After(pollEvery):
		}
	}
}

// bump counts a change of the topic, in the transaction that makes it.
func bump(ctx context.Context, tx *sql.Tx, topic string) error {
	_, err := tx.ExecContext(ctx, `UPDATE versions SET version = version + 1 WHERE topic = $1`, topic)
	return err
}

// signal wakes those that wait for the next change by this process.
type signal struct {
	mu    sync.Mutex
	fired chan struct{}
}

// next returns a channel that is closed at the next send.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fired == nil {
		s.fired = make(chan struct{})
	}
	return s.fired
}

// send wakes, unless the change failed.
func (s *signal) send(failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if failed == nil && s.fired != nil {
		close(s.fired)
		s.fired = nil
	}
}
