package store

import (
	"context"
	"database/sql"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// PauseJob lets no more batches of a job be leased. Nodes stop working on those
// that they have within a second. Pausing one that is paused changes nothing,
// but that [Store.LetGoJob] leaves it so.
func (s *Store) PauseJob(ctx context.Context, by Actor, id string) (Job, error) {
	return s.changeJob(ctx, by, rows.ListPaused, id, func(ctx context.Context, tx *sql.Tx, j Job) error {
		if j.State.Ended() {
			return ErrState
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE jobs SET state = 'paused', problem = CASE WHEN problem = $2 THEN '' ELSE problem END WHERE id = $1`, id, forgetting)
		return err
	})
}

// ResumeJob ends a pause. Resuming one that is not paused changes nothing.
func (s *Store) ResumeJob(ctx context.Context, by Actor, id string) (Job, error) {
	return s.changeJob(ctx, by, rows.ListResumed, id, func(ctx context.Context, tx *sql.Tx, j Job) error {
		if j.State.Ended() {
			return ErrState
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE jobs SET state = CASE WHEN started = 0 THEN 'queued' ELSE 'running' END, problem = '', resumed = $2
			WHERE id = $1 AND state = 'paused'`, id, millisOf(s.now())+1)
		return err
	})
}

// CancelJob ends a job for good. Its results so far stay; what was not asked
// about is forgotten, and its share of the quota is given back. One that was
// asked about again is done then, with the results that it had. Cancelling one
// that is cancelled changes nothing.
func (s *Store) CancelJob(ctx context.Context, by Actor, id string) (Job, error) {
	return s.changeJob(ctx, by, rows.ListCancelled, id, func(ctx context.Context, tx *sql.Tx, j Job) error {
		switch {
		case j.State == JobCancelled:
			return nil
		case j.State.Ended():
			return ErrState
		}
		return s.endJob(ctx, tx, id, JobCancelled, "")
	})
}

// NoteDamage says of a job that is done what is wrong with what is stored of
// it.
func (s *Store) NoteDamage(ctx context.Context, id, problem string) error {
	return s.write(ctx, "note damage", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET problem = $2 WHERE id = $1 AND state = 'done'`, id, storable(problem))
		return err
	})
}

// changeJob changes a job under a lock of its row, and returns it as it is
// then. It is an event if the job has another state, or another reason for it.
func (s *Store) changeJob(
	ctx context.Context, by Actor, what What, id string, change func(context.Context, *sql.Tx, Job) error,
) (j Job, err error) {
	err = s.write(ctx, "change job", func(ctx context.Context, tx *sql.Tx) error {
		before, err := lockJob(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := change(ctx, tx, before); err != nil {
			return err
		}
		if j, err = readJob(ctx, tx, id); err != nil || j.State == before.State && j.Problem == before.Problem {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: what, Object: j.ID})
	})
	s.jobsChanged()
	return j, err
}

// lockJob reads a job that nobody else changes until the transaction ends.
func lockJob(ctx context.Context, tx *sql.Tx, id string) (Job, error) {
	return scanJob(tx.QueryRowContext(ctx, `UPDATE jobs SET state = state WHERE id = $1 AND `+visible+` RETURNING `+jobColumns, id))
}

// endJob ends a job whose row is locked: nothing of it is asked any more, and
// the quota for what was not asked is given back.
func (s *Store) endJob(ctx context.Context, tx *sql.Tx, id string, state JobState, problem string) error {
	if err := returnJobQuota(ctx, tx, id); err != nil {
		return err
	}
	if err := keepResults(ctx, tx, id); err != nil {
		return err
	}
	if state == JobCancelled {
		complete, err := exists(ctx, tx, `SELECT 1 FROM jobs WHERE id = $1 AND done >= addresses`, id)
		if err != nil {
			return err
		}
		if complete {
			state = JobDone
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = $2, problem = $3, finished = $4 WHERE id = $1`,
		id, string(state), storable(problem), millisOf(s.now())); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM job_batches WHERE job = $1`, id); err != nil {
		return err
	}
	j, err := readJob(ctx, tx, id)
	if err != nil {
		return err
	}
	return s.jobEnded(ctx, tx, j)
}

// returnJobQuota gives the quota back for addresses without a result, once.
func returnJobQuota(ctx context.Context, tx *sql.Tx, id string) error {
	var key string
	var month, left int64
	if err := tx.QueryRowContext(ctx, `SELECT api_key, quota_month, addresses - done FROM jobs WHERE id = $1`, id).Scan(&key, &month, &left); err != nil {
		return err
	}
	if month == 0 || left <= 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET quota_month = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	return giveBackQuota(ctx, tx, Reservation{Key: key, Month: millis(month).time(), Units: left})
}

// endIfDone ends a job of whose addresses all have their result.
func (s *Store) endIfDone(ctx context.Context, tx *sql.Tx, id string) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE jobs SET state = 'done', problem = '', finished = $2 WHERE id = $1 AND done >= addresses AND state IN ('queued', 'running', 'paused')`,
		id, millisOf(s.now()))
	if err != nil {
		return err
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return err
	}
	j, err := readJob(ctx, tx, id)
	if err != nil {
		return err
	}
	return s.jobEnded(ctx, tx, j)
}

// DeleteJob deletes a job and everything about it. Nobody sees it from the
// first moment; what is large is deleted in several transactions. If that is
// interrupted, [Store.Purge] goes on.
func (s *Store) DeleteJob(ctx context.Context, by Actor, id string) error {
	if err := s.hideJob(ctx, by, id); err != nil {
		return err
	}
	s.jobsChanged()
	return s.eraseJob(ctx, id)
}

// DropJob is DeleteJob for a job whose list could not be read to its end.
func (s *Store) DropJob(ctx context.Context, id string) error {
	err := s.write(ctx, "delete job", func(ctx context.Context, tx *sql.Tx) error {
		if err := one(tx.ExecContext(ctx, `UPDATE jobs SET deleted = $2 WHERE id = $1 AND state = 'loading'`, id, millisOf(s.now()))); err != nil {
			return err
		}
		return returnJobQuota(ctx, tx, id)
	})
	if err != nil {
		return err
	}
	return s.eraseJob(ctx, id)
}

func (s *Store) hideJob(ctx context.Context, by Actor, id string) error {
	return s.write(ctx, "delete job", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := lockJob(ctx, tx, id); err != nil {
			return err
		}
		if err := returnJobQuota(ctx, tx, id); err != nil {
			return err
		}
		if err := one(tx.ExecContext(ctx, `UPDATE jobs SET deleted = $2 WHERE id = $1`, id, millisOf(s.now()))); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.ListDeleted, Object: id})
	})
}

// erasures delete up to $2 rows of a job that nobody sees any more.
var erasures = []string{
	`DELETE FROM job_batches WHERE job = $1 AND id IN (SELECT id FROM job_batches WHERE job = $1 LIMIT $2)`,
	`DELETE FROM job_results WHERE job = $1 AND (segment, batch, part) IN (SELECT segment, batch, part FROM job_results WHERE job = $1 LIMIT $2)`,
	`DELETE FROM job_segments WHERE job = $1 AND segment IN (SELECT segment FROM job_segments WHERE job = $1 LIMIT $2)`,
	`DELETE FROM job_counts WHERE job = $1 AND result IN (SELECT result FROM job_counts WHERE job = $1 LIMIT $2)`,
	`DELETE FROM job_groups WHERE job = $1 AND grp IN (SELECT grp FROM job_groups WHERE job = $1 LIMIT $2)`,
	`DELETE FROM job_requests WHERE job = $1 AND token IN (SELECT token FROM job_requests WHERE job = $1 LIMIT $2)`,
	`DELETE FROM webhooks WHERE job = $1 AND id IN (SELECT id FROM webhooks WHERE job = $1 LIMIT $2)`,
	`DELETE FROM jobs WHERE id = $1 AND $2 > 0`,
}

// eraseAtOnce limits the rows of one transaction: a segment has up to a
// megabyte.
const eraseAtOnce = 50

func (s *Store) eraseJob(ctx context.Context, id string) error {
	for _, text := range erasures {
		for deleted := int64(1); deleted > 0; {
			if err := s.write(ctx, "delete job", func(ctx context.Context, tx *sql.Tx) error {
				result, err := tx.ExecContext(ctx, text, id, eraseAtOnce)
				if err != nil {
					return err
				}
				deleted, err = result.RowsAffected()
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// purgeJobs deletes jobs that have expired, whose deletion was interrupted, or
// whose list was arriving on a node that is lost.
func (s *Store) purgeJobs(ctx context.Context) error {
	var ids []string
	err := s.read(ctx, "purge jobs", func(ctx context.Context, db *sql.DB) (err error) {
		scan := func(row scanner) (id string, err error) { return id, row.Scan(&id) }
		ids, err = collect(ctx, db, scan, `
			SELECT id FROM jobs WHERE deleted > 0 OR expires > 0 AND expires <= $1
				OR state = 'loading' AND node NOT IN (SELECT node FROM job_nodes WHERE alive > $1)`, millisOf(s.now()))
		return err
	})
	for _, id := range ids {
		if err != nil {
			return err
		}
		if err = s.hideExpired(ctx, id); err == nil {
			err = s.eraseJob(ctx, id)
		}
	}
	return err
}

// hideExpired is hideJob for a job in any state.
func (s *Store) hideExpired(ctx context.Context, id string) error {
	return s.write(ctx, "delete job", func(ctx context.Context, tx *sql.Tx) error {
		if err := returnJobQuota(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET deleted = $2 WHERE id = $1 AND deleted = 0`,
			id, millisOf(s.now()))
		return err
	})
}
