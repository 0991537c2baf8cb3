package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"time"
)

const (
	// flushEvery groups small writes: rarely enough for a disk that takes
	// milliseconds for each commit, and well within the second that may be
	// lost.
	flushEvery = 100 * time.Millisecond
	// flushAgain is the wait after a commit that failed.
	flushAgain = time.Second
)

// flushNowAndThen commits the queue shortly after something was added, until
// ctx ends.
func (s *Store) flushNowAndThen(ctx context.Context) {
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.wake:
		}
		wait := flushEvery
		if failing {
			wait = flushAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		err := s.Flush(context.WithoutCancel(ctx)) // a commit that is cut off may have happened or not
		if err != nil && ctx.Err() == nil {
			s.queue.add(func(*batch) bool { return true }) // wakes again
			if !failing {
				s.log.Error("usage and verdicts cannot be stored and wait in memory",
					"error", err, "queued", s.Stats().Queued)
			}
		}
		if failing && err == nil {
			s.log.Info("usage and verdicts are stored again", "dropped", s.Stats().Dropped)
		}
		failing = err != nil
	}
}

// Flush commits what is queued now. After an error it is queued still.
func (s *Store) Flush(ctx context.Context) error {
	s.queue.commit.Lock()
	defer s.queue.commit.Unlock()
	for {
		b, again := s.queue.take()
		if b.len() == 0 {
			return nil
		}
		began := time.Now()
		err := s.write(ctx, "store usage and verdicts", func(ctx context.Context, tx *sql.Tx) error { return s.insert(ctx, tx, b) })
		s.queue.settle(time.Since(began), err == nil)
		if err != nil || !again {
			return err
		}
	}
}

// insert writes a batch, unless an earlier try has written it. Tables are
// written in a fixed order and rows in the order of their keys, so that two
// nodes do not deadlock.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, b *batch) error {
	fresh, err := s.insertNumber(ctx, tx, b)
	if err != nil || !fresh {
		return err
	}
	for _, write := range []func(context.Context, *sql.Tx, *batch) error{s.insertUses, s.insertTouches, s.insertVerdicts, s.insertRechecks} {
		if err := write(ctx, tx, b); err != nil {
			return err
		}
	}
	return nil
}

// insertNumber notes the batch as the last one of this process, and reports
// whether it was not noted before. While an earlier try is still being
// committed, the row is locked and this waits for its outcome.
func (s *Store) insertNumber(ctx context.Context, tx *sql.Tx, b *batch) (fresh bool, err error) {
	result, err := tx.ExecContext(ctx, `
		INSERT INTO writers (writer, batch, at) VALUES ($1, $2, $3)
		ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE writers.batch < excluded.batch`,
		s.writer, b.number, millisOf(s.now()))
	if err != nil {
		return false, err
	}
	changed, err := result.RowsAffected()
	return changed > 0, err
}

var upsertUses = upsert{
	table:   "usage",
	columns: []string{"api_key", "day", "result", "reason", "cached", "latency", "answers", "duration"},
	then: `ON CONFLICT (api_key, day, result, reason, cached, latency)
		DO UPDATE SET answers = usage.answers + excluded.answers, duration = usage.duration + excluded.duration`,
}

func (s *Store) insertUses(ctx context.Context, tx *sql.Tx, b *batch) error {
	var rows [][]any
	for _, row := range slices.SortedFunc(maps.Keys(b.uses), useRow.compare) {
		sum := b.uses[row]
		rows = append(rows, []any{
			row.key, row.day, row.result, row.reason, row.cached,
			row.latency, sum.count, sum.duration.Milliseconds(),
		})
	}
	return upsertUses.run(ctx, tx, rows)
}

func (r useRow) compare(other useRow) int {
	return cmp.Or(cmp.Compare(r.key, other.key), cmp.Compare(r.day, other.day), cmp.Compare(r.result, other.result),
		cmp.Compare(r.reason, other.reason), cmp.Compare(r.cached, other.cached), cmp.Compare(r.latency, other.latency))
}

var upsertTouches = upsert{
	table:   "key_uses",
	columns: []string{"api_key", "at"},
	then:    `ON CONFLICT (api_key) DO UPDATE SET at = excluded.at WHERE excluded.at > key_uses.at`,
}

func (s *Store) insertTouches(ctx context.Context, tx *sql.Tx, b *batch) error {
	var rows [][]any
	for _, key := range slices.Sorted(maps.Keys(b.touched)) {
		rows = append(rows, []any{key, b.touched[key]})
	}
	return upsertTouches.run(ctx, tx, rows)
}

var upsertVerdicts = upsert{
	table:   "verdicts",
	columns: []string{"hash", "result", "reason", "checked", "expires"},
	then: `ON CONFLICT (hash) DO UPDATE SET result = excluded.result, reason = excluded.reason, checked = excluded.checked, expires = excluded.expires
		WHERE excluded.checked >= verdicts.checked OR verdicts.checked > excluded.checked + ` + strconv.FormatInt(clockSlack.Milliseconds(), 10),
}

func (s *Store) insertVerdicts(ctx context.Context, tx *sql.Tx, b *batch) error {
	var rows [][]any
	for _, hash := range sortedHashes(b.verdicts) {
		v := b.verdicts[hash]
		rows = append(rows, []any{octets(hash), string(v.Result), v.Reason, millisOf(v.Checked), millisOf(v.Expires)})
	}
	return upsertVerdicts.run(ctx, tx, rows)
}

func sortedHashes[V any](m map[Hash]V) []Hash {
	return slices.SortedFunc(maps.Keys(m), func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
}
