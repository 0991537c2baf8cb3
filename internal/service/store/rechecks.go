package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// maxRechecks limits the addresses that wait for a re-check. Further ones are
// dropped and counted: their callers have to ask again themselves.
const maxRechecks = 100_000

// Recheck is an address that a mail host has deferred and that is to be asked
// about again. It contains the address in clear, and is deleted when it is
// finished or expires.
type Recheck struct {
	Address  string    // normalised
	Egress   string    // from where the mail host was asked, as greylisting knows the client; the caller's name for it
	RunAfter time.Time // not before this
	GiveUp   time.Time // not after this
	Attempts int       // how often it was claimed, this time included

	hash  Hash
	claim int64
}

// ScheduleRecheck queues an address to be asked about again. One that waits
// already gets the new RunAfter and Egress and keeps the rest; one that is
// claimed stays as it is.
func (s *Store) ScheduleRecheck(r Recheck) {
	r.Address, r.Egress, r.hash = storable(r.Address), storable(r.Egress), s.addressHash(r.Address)
	s.queue.recheck(r)
}

// ClaimRechecks returns up to limit addresses that are due from the egress, the
// longest due first. They belong to the caller for the duration of the lease;
// after that others may claim them.
func (s *Store) ClaimRechecks(
	ctx context.Context, egress string, limit int, lease time.Duration,
) (claimed []Recheck, err error) {
	err = s.write(ctx, "claim rechecks", func(ctx context.Context, tx *sql.Tx) error {
		now := s.now()
		claimed, err = collect(ctx, tx, scanRecheck, s.db.claim("rechecks", "hash",
			`leased = $1, claim = claim + 1, attempts = attempts + 1`,
			`egress = $2 AND run_after <= $3 AND leased <= $3 AND give_up > $3 ORDER BY run_after LIMIT $4`,
			`hash, address, egress, run_after, give_up, attempts, claim`),
			millisOf(now.Add(lease)), egress, millisOf(now), limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(claimed, func(a, b Recheck) int { return a.RunAfter.Compare(b.RunAfter) })
	return claimed, nil
}

func scanRecheck(row scanner) (Recheck, error) {
	var r Recheck
	var runAfter, giveUp millis
	err := row.Scan((*octets)(&r.hash), &r.Address, &r.Egress, &runAfter, &giveUp, &r.Attempts, &r.claim)
	r.RunAfter, r.GiveUp = runAfter.time(), giveUp.time()
	return r, err
}

// FinishRecheck deletes a claimed address: it was answered or is given up.
// [ErrLeaseLost]: it has been claimed by others since.
func (s *Store) FinishRecheck(ctx context.Context, r Recheck) error {
	return s.write(ctx, "finish recheck", func(ctx context.Context, tx *sql.Tx) error {
		return held(tx.ExecContext(ctx, `DELETE FROM rechecks WHERE hash = $1 AND claim = $2`, octets(r.hash), r.claim))
	})
}

// PostponeRecheck returns a claimed address, to be asked about at the given
// time. [ErrLeaseLost]: it has been claimed by others since.
func (s *Store) PostponeRecheck(ctx context.Context, r Recheck, until time.Time) error {
	return s.write(ctx, "postpone recheck", func(ctx context.Context, tx *sql.Tx) error {
		return held(tx.ExecContext(ctx, `UPDATE rechecks SET run_after = $3, leased = 0 WHERE hash = $1 AND claim = $2`,
			octets(r.hash), r.claim, millisOf(until)))
	})
}

// Rechecks returns how many addresses wait to be asked about again.
func (s *Store) Rechecks(ctx context.Context) (waiting int, err error) {
	err = s.read(ctx, "count rechecks", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT COUNT(*) FROM rechecks`).Scan(&waiting)
	})
	return waiting, err
}

// held is one for a row that is fenced by a claim.
func held(result sql.Result, err error) error {
	err = one(result, err)
	if errors.Is(err, ErrNotFound) {
		return ErrLeaseLost
	}
	return err
}

var upsertRechecks = upsert{
	table:   "rechecks",
	columns: []string{"hash", "address", "egress", "attempts", "created", "run_after", "give_up", "leased", "claim"},
	then: `ON CONFLICT (hash) DO UPDATE SET run_after = excluded.run_after, egress = excluded.egress
		WHERE rechecks.leased <= excluded.created`,
}

// insertRechecks writes those of a batch for which there is room.
func (s *Store) insertRechecks(ctx context.Context, tx *sql.Tx, b *batch) error {
	if len(b.rechecks) == 0 {
		return nil
	}
	var waiting int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM rechecks`).Scan(&waiting); err != nil {
		return err
	}
	now := millisOf(s.now())
	var rows [][]any
	for _, hash := range sortedHashes(b.rechecks) {
		r := b.rechecks[hash]
		rows = append(rows, []any{
			octets(hash), r.Address, r.Egress, r.Attempts, now, millisOf(r.RunAfter), millisOf(r.GiveUp), 0, 0,
		})
	}
	room := min(len(rows), max(0, s.maxRechecks-waiting))
	s.queue.drop(len(rows) - room)
	return upsertRechecks.run(ctx, tx, rows[:room])
}
