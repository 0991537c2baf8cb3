package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// maxReservations is the number of reservations of one commit, so that
	// later ones need not wait long.
	maxReservations = 500
	// reserveTimeout limits such a commit: requests wait for it.
	reserveTimeout = 5 * time.Second
)

// reservations wait for the commit in progress. The next commit contains all of
// them: for hundreds of keys it costs the disk as much as for one, and after a
// quiet time the requests of many keys come at once.
type reservations struct {
	turn    chan struct{} // has room for the one that commits
	mu      sync.Mutex
	waiting []*reservation
}

// reservation is one that was asked for.
type reservation struct {
	Reservation
	want, limit int64
	err         error
	done        chan struct{} // is closed when the fields above have the outcome
}

func newReservations() *reservations { return &reservations{turn: make(chan struct{}, 1)} }

// ReserveQuota takes up to want units from the key's quota for the month of at,
// whose total is limit, and commits. A key shares its quota with those that it
// replaces. The units of all nodes together never
// exceed limit. Reserve about as many as are used in a second: what a killed
// process has reserved and not used is lost to the key until the month ends.
func (s *Store) ReserveQuota(ctx context.Context, key string, at time.Time, want, limit int64) (Reservation, error) {
	r := Reservation{Key: key, Month: monthOf(at)}
	if want <= 0 || limit <= 0 {
		return r, nil
	}
	if ctx.Err() != nil {
		return r, s.db.failed("reserve quota", context.Cause(ctx))
	}
	one := &reservation{Reservation: r, want: want, limit: limit, done: make(chan struct{})}
	s.reservations.add(one)
	select {
	case <-one.done:
	case s.reservations.turn <- struct{}{}:
		s.reserveTogether(ctx, one)
	case <-ctx.Done():
		if s.reservations.withdraw(one) {
			return r, s.db.failed("reserve quota", context.Cause(ctx))
		}
		<-one.done
	}
	return one.Reservation, one.err
}

// reserveTogether commits the waiting reservations until the one that has the
// turn is served, and passes the turn on.
func (s *Store) reserveTogether(ctx context.Context, one *reservation) {
	defer func() { <-s.reservations.turn }()
	ctx = context.WithoutCancel(ctx) // the others do not give up with one of them
	for {
		select {
		case <-one.done:
			return
		default:
		}
		s.commitReservations(ctx, s.reservations.take())
	}
}

func (s *Store) commitReservations(ctx context.Context, batch []*reservation) {
	ctx, cancel := context.WithTimeoutCause(ctx, reserveTimeout,
		fmt.Errorf("it did not answer within %v", reserveTimeout))
	defer cancel()
	err := s.write(ctx, "reserve quota", func(ctx context.Context, tx *sql.Tx) error { return reserve(ctx, tx, batch) })
	for _, r := range batch {
		if r.err = err; err != nil {
			r.Units = 0
		}
		close(r.done)
	}
}

func (q *reservations) add(r *reservation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

// withdraw takes r back, unless it is being committed.
func (q *reservations) withdraw(r *reservation) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// take returns the first waiting reservations in the order of their rows, so
// that two nodes do not deadlock.
func (q *reservations) take() []*reservation {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxReservations)
	batch := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	slices.SortFunc(batch, func(a, b *reservation) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), a.Month.Compare(b.Month))
	})
	return batch
}

// reserve grants each reservation what is left for it.
func reserve(ctx context.Context, tx *sql.Tx, batch []*reservation) error {
	statement, err := tx.PrepareContext(ctx, `
		INSERT INTO quotas (api_key, month, used, granted)
		VALUES ($1, $2,
			CASE WHEN CAST($3 AS BIGINT) < CAST($4 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END,
			CASE WHEN CAST($3 AS BIGINT) < CAST($4 AS BIGINT) THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END)
		ON CONFLICT (api_key, month) DO UPDATE SET
			used = quotas.used + CASE WHEN $3 < $4 - quotas.used THEN $3 ELSE $4 - quotas.used END,
			granted = CASE WHEN $3 < $4 - quotas.used THEN $3 ELSE $4 - quotas.used END
		WHERE quotas.used < $4
		RETURNING granted`)
	if err != nil {
		return err
	}
	defer statement.Close()
	lines := make(map[*reservation]string, len(batch))
	for _, r := range batch {
		if lines[r], err = lineOf(ctx, tx, r.Key); err != nil {
			return err
		}
	}
	// The rows are locked in one order by all.
	slices.SortStableFunc(batch, func(a, b *reservation) int { return cmp.Compare(lines[a], lines[b]) })
	for _, r := range batch {
		r.Units = 0 // where the quota is used up there is no row
		err := statement.QueryRowContext(ctx, lines[r], millisOf(r.Month), r.want, r.limit).Scan(&r.Units)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return nil
}
