package store

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// forgetting is why a list stands while an address is taken out of it.
const forgetting = "An address is being forgotten. If this stays, run rcpt forget again, or resume the list."

// StoredLists returns every list that is stored, in whatever state: drafts and
// those that are arriving, too. It deletes those that have expired.
func (s *Store) StoredLists(ctx context.Context) (all []Job, err error) {
	if err := s.purgeJobs(ctx); err != nil {
		return nil, err
	}
	err = s.read(ctx, "read jobs", func(ctx context.Context, db *sql.DB) error {
		all, err = collect(ctx, db, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE deleted = 0 ORDER BY created, id`)
		return err
	})
	return all, err
}

// HoldJob pauses a job that may have something to ask, until [Store.LetGoJob].
// One that was held when a process was killed is held again.
func (s *Store) HoldJob(ctx context.Context, id string) error {
	defer s.jobsChanged()
	return s.write(ctx, "hold job", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'paused', problem = $2 WHERE id = $1 AND state IN ('queued', 'running')`, id, forgetting)
		return err
	})
}

// LetGoJob ends what HoldJob began. A job that somebody has paused stays so.
func (s *Store) LetGoJob(ctx context.Context, id string) error {
	defer s.jobsChanged()
	return s.write(ctx, "let go job", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE jobs SET state = CASE WHEN started = 0 THEN 'queued' ELSE 'running' END, problem = ''
			WHERE id = $1 AND state = 'paused' AND problem = $2`, id, forgetting)
		return err
	})
}

// JobIsWorkedOn reports whether a living node has a batch of a job.
func (s *Store) JobIsWorkedOn(ctx context.Context, id string) (is bool, err error) {
	err = s.read(ctx, "read batches", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM job_batches WHERE job = $1 AND node IN (SELECT node FROM job_nodes WHERE alive > $2))`,
			id, millisOf(s.now())).Scan(&is)
	})
	return is, err
}

// ListSegment returns all that is stored of a segment of a list.
func (s *Store) ListSegment(ctx context.Context, job string, number int64) (g rows.Segment, err error) {
	err = s.snapshot(ctx, "read rows", func(ctx context.Context, tx *sql.Tx) error {
		g, err = readSegment(ctx, tx, job, number)
		return err
	})
	return g, err
}

func readSegment(ctx context.Context, tx *sql.Tx, job string, number int64) (g rows.Segment, err error) {
	if err := tx.QueryRowContext(ctx, `SELECT data FROM job_segments WHERE job = $1 AND segment = $2`, job, number).Scan(&g.Rows); err != nil {
		return g, err
	}
	if g.Results, err = collect(ctx, tx, func(row scanner) (p rows.ResultPart, err error) {
		return p, row.Scan(&p.Batch, &p.Part, &p.Data)
	}, `SELECT batch, part, data FROM job_results WHERE job = $1 AND segment = $2 ORDER BY batch, part`, job, number); err != nil {
		return g, err
	}
	g.Batches, err = collect(ctx, tx, func(row scanner) (b Batch, err error) {
		return b, row.Scan(&b.ID, &b.Addresses, &b.Rows, &b.Data)
	}, `SELECT id, addresses, row_count, data FROM job_batches WHERE job = $1 AND segment = $2 ORDER BY id`, job, number)
	return g, err
}

// RewriteSegment changes a segment in one transaction. What rewrite leaves
// without data is deleted. A batch that has changed belongs to no node any
// more; addresses that it has lost are none of the list's: their quota is given
// back, and the list is done if they were its last.
func (s *Store) RewriteSegment(ctx context.Context, job string, number int64, rewrite func(*rows.Segment) error) error {
	defer s.jobsChanged()
	return s.write(ctx, "rewrite rows", func(ctx context.Context, tx *sql.Tx) error {
		j, err := scanJob(tx.QueryRowContext(ctx, `UPDATE jobs SET state = state WHERE id = $1 AND deleted = 0 RETURNING `+jobColumns, job))
		if err != nil {
			return err
		}
		before, err := readSegment(ctx, tx, job, number)
		if err != nil {
			return err
		}
		after := before.Clone()
		if err := rewrite(&after); err != nil {
			return err
		}
		if err := writeRows(ctx, tx, job, number, before, after); err != nil {
			return err
		}
		lost, err := writeBatches(ctx, tx, job, before.Batches, after.Batches)
		if err != nil || lost == 0 {
			return err
		}
		return s.loseAddresses(ctx, tx, j, lost)
	})
}

func writeRows(ctx context.Context, tx *sql.Tx, job string, number int64, before, after rows.Segment) error {
	if _, err := tx.ExecContext(ctx, `UPDATE job_segments SET data = $3 WHERE job = $1 AND segment = $2`, job, number, after.Rows); err != nil {
		return err
	}
	for i, p := range after.Results {
		const those = ` WHERE job = $1 AND segment = $2 AND batch = $3 AND part = $4`
		var err error
		switch {
		case bytes.Equal(p.Data, before.Results[i].Data):
		case p.Data == nil:
			_, err = tx.ExecContext(ctx, `DELETE FROM job_results`+those, job, number, p.Batch, p.Part)
		default:
			_, err = tx.ExecContext(ctx, `UPDATE job_results SET data = $5`+those, job, number, p.Batch, p.Part, p.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBatches returns how many addresses the batches have lost.
func writeBatches(ctx context.Context, tx *sql.Tx, job string, before, after []Batch) (lost int64, err error) {
	for i, b := range after {
		if bytes.Equal(b.Data, before[i].Data) {
			continue
		}
		lost += int64(before[i].Addresses - b.Addresses)
		if b.Data == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM job_batches WHERE job = $1 AND id = $2`, job, b.ID)
		} else {
			_, err = tx.ExecContext(ctx, `
				UPDATE job_batches SET data = $3, addresses = $4, row_count = $5, node = '', claim = claim + 1 WHERE job = $1 AND id = $2`,
				job, b.ID, b.Data, b.Addresses, b.Rows)
		}
		if err != nil {
			return lost, err
		}
	}
	return lost, nil
}

// loseAddresses takes addresses that were not asked about from a job.
func (s *Store) loseAddresses(ctx context.Context, tx *sql.Tx, j Job, lost int64) error {
	var month millis
	if err := tx.QueryRowContext(ctx, `
		UPDATE jobs SET addresses = addresses - $2 WHERE id = $1 RETURNING quota_month`, j.ID, lost).Scan(&month); err != nil {
		return err
	}
	if month != 0 {
		if err := giveBackQuota(ctx, tx, Reservation{Key: j.Key, Month: month.time(), Units: lost}); err != nil {
			return err
		}
	}
	return s.endIfDone(ctx, tx, j.ID)
}

// RewriteHead replaces the beginning of a list from which its format is found
// again.
func (s *Store) RewriteHead(ctx context.Context, job, format string, head []byte) error {
	return s.write(ctx, "rewrite head", func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE jobs SET format = $2, head = $3 WHERE id = $1`, job, format, head))
	})
}

// DropList deletes a draft, whoever it belongs to. [ErrNotFound]: it is none
// any more.
func (s *Store) DropList(ctx context.Context, j Job) error {
	if err := s.TakeDraft(ctx, "", j.ID, j.Owner); err != nil {
		return err
	}
	return s.DropJob(ctx, j.ID)
}
