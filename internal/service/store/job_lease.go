package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// nodesKept is how long a lost node is remembered: much longer than anybody may
// think that it is alive.
const nodesKept = 24 * time.Hour

// JoinJobs announces a node that works on jobs, and from where it asks mail
// hosts, until the time given. Call it again before that time. With an embedded
// database there is one process: what others had leased is free at once.
func (s *Store) JoinJobs(ctx context.Context, node, egress string, until time.Time) error {
	return s.write(ctx, "join jobs", func(ctx context.Context, tx *sql.Tx) error {
		if s.db.file != "" {
			if _, err := tx.ExecContext(ctx, `DELETE FROM job_nodes WHERE node <> $1`, node); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO job_nodes (node, egress, alive) VALUES ($1, $2, $3)
			ON CONFLICT (node) DO UPDATE SET egress = excluded.egress, alive = excluded.alive`,
			node, storable(egress), millisOf(until))
		return err
	})
}

// LeaveJobs gives back what a node has leased.
func (s *Store) LeaveJobs(ctx context.Context, node string) error {
	return s.write(ctx, "leave jobs", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE job_batches SET node = '' WHERE node = $1`, node); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM job_nodes WHERE node = $1`, node)
		return err
	})
}

// free is the condition for a batch that a node may take: nobody works on it,
// and no living node asks from where it is to be asked, as a mail host that
// greylists knows a client by its address. $1 is the present, $2 the egress of
// the node.
const free = `((node = '' OR node NOT IN (SELECT node FROM job_nodes WHERE alive > $1)) AND (
	egress IN ('', $2) OR egress NOT IN (SELECT egress FROM job_nodes WHERE alive > $1)))`

// LeaseBatches leases batches of a job that are due: those that are asked about
// again first, as their time has come. They belong to the node until it settles
// them or is given up for lost. There are none if the job is paused or has
// ended, or if the node has its share of what is left: the more of the list is
// done, the less a node has, so that all end at about the same time. What the
// node has already it does not get again, also when it was given up for lost.
func (s *Store) LeaseBatches(ctx context.Context, q BatchQuery) (leased []Batch, err error) {
	err = s.write(ctx, "lease batches", func(ctx context.Context, tx *sql.Tx) error {
		leased, err = s.lease(ctx, tx, q)
		return err
	})
	for i := range leased {
		leased[i].Job = q.Job
	}
	slices.SortFunc(leased, func(a, b Batch) int { return cmp.Compare(a.ID, b.ID) })
	return leased, err
}

func (s *Store) lease(ctx context.Context, tx *sql.Tx, q BatchQuery) (leased []Batch, err error) {
	now := s.now()
	var state JobState
	var left, nodes int64
	if err := tx.QueryRowContext(ctx, `
		SELECT state, addresses - done, (SELECT COUNT(*) FROM job_nodes WHERE alive > $2) FROM jobs WHERE id = $1 AND deleted = 0 `+s.db.keepRow,
		q.Job, millisOf(now)).Scan(&state, &left, &nodes); err != nil {
		return nil, err
	}
	if state != JobQueued && state != JobRunning || int64(q.Held)*nodes >= left && q.Held > 0 {
		return nil, nil
	}
	limit := q.Limit
	if nodes > 1 {
		limit = 1 // so that it has little more than its share
	}
	args := []any{millisOf(now), storable(q.Egress), q.Job, q.Node, limit}
	except := ""
	switch {
	case q.Small:
		except = ` AND domain = ''`
	case len(q.Except) > 0:
		except = ` AND domain NOT IN (` + placeholders(len(args)+1, len(q.Except)) + `)`
		for _, domain := range q.Except {
			args = append(args, domain)
		}
	}
	leased, err = collect(ctx, tx, scanBatch, s.db.claim("job_batches", "job, id", `node = $4, claim = claim + 1`,
		`job = $3 AND run_after <= $1 AND node <> $4 AND `+free+except+` ORDER BY fresh, run_after, id LIMIT $5`,
		`id, segment, domain, egress, fresh, run_after, addresses, data, claim, kept_result, kept_reason, kept_group, row_count`), args...)
	if err != nil || len(leased) == 0 || state == JobRunning {
		return leased, err
	}
	_, err = tx.ExecContext(ctx,
		`UPDATE jobs SET state = 'running', started = $2 WHERE id = $1 AND state = 'queued'`, q.Job, millisOf(now))
	return leased, err
}

// FreeBatches gives back the batches of a job that a node has, but for those
// held: their claims by their IDs. It is for a node that cannot know whether a
// lease was committed: that may happen still, so it waits for the end of such a
// transaction.
func (s *Store) FreeBatches(ctx context.Context, node, job string, held map[int64]int64) error {
	return s.write(ctx, "free batches", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := exists(ctx, tx, `SELECT 1 FROM jobs WHERE id = $1 `+s.db.lockRow, job); err != nil {
			return err
		}
		scan := func(row scanner) (b Batch, err error) { return b, row.Scan(&b.ID, &b.Claim) }
		all, err := collect(ctx, tx, scan, `SELECT id, claim FROM job_batches WHERE job = $1 AND node = $2`, job, node)
		if err != nil {
			return err
		}
		for _, b := range all {
			if claim, is := held[b.ID]; is && claim == b.Claim {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE job_batches SET node = '' WHERE job = $1 AND id = $2 AND node = $3`, job, b.ID, node); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanBatch(row scanner) (Batch, error) {
	var b Batch
	var fresh int
	var runAfter millis
	err := row.Scan(&b.ID, &b.Segment, &b.Domain, &b.Egress, &fresh, &runAfter, &b.Addresses, &b.Data, &b.Claim,
		&b.KeptResult, &b.KeptReason, &b.KeptGroup, &b.Rows)
	b.Retry, b.RunAfter = fresh == 0, runAfter.time()
	return b, err
}

// SettleBatches writes what became of batches, in one transaction: results,
// counters, what is to be asked again, the end of a job. lost tells for each
// whether nothing of it was written, because the lease was lost or the job has
// ended.
func (s *Store) SettleBatches(ctx context.Context, node string, all []Settlement) (lost []bool, err error) {
	order := make([]int, len(all)) // of their rows, so that two nodes do not deadlock
	for i := range order {
		order[i] = i
	}
	// Settlements of one batch stay in their order.
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &all[i].Batch, &all[j].Batch
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.ID, b.ID))
	})
	err = s.write(ctx, "settle batches", func(ctx context.Context, tx *sql.Tx) error {
		lost = make([]bool, len(all))
		jobs := &settledJobs{}
		for _, i := range order {
			locked, err := jobs.lock(ctx, tx, all[i].Batch.Job)
			if err == nil && locked {
				locked, err = takeOver(ctx, tx, node, &all[i])
			}
			if err != nil {
				return err
			}
			if lost[i] = !locked; locked {
				jobs.add(&all[i])
			}
		}
		return s.settle(ctx, tx, jobs)
	})
	return lost, err
}

// takeOver replaces a leased batch by what is left of it; false: the lease is
// lost, or it was done before, in a commit whose outcome was not known: the
// batch has fewer addresses then.
func takeOver(ctx context.Context, tx *sql.Tx, node string, one *Settlement) (held bool, err error) {
	b := &one.Batch
	before := addressesBefore(one)
	var result sql.Result
	if one.Left == nil {
		result, err = tx.ExecContext(ctx, `DELETE FROM job_batches WHERE job = $1 AND id = $2 AND node = $3 AND claim = $4 AND addresses = $5`,
			b.Job, b.ID, node, b.Claim, before)
	} else {
		keeper := node
		if one.Release {
			keeper = ""
		}
		result, err = tx.ExecContext(ctx, `
			UPDATE job_batches SET node = $5, addresses = $6, data = $7, row_count = $9
			WHERE job = $1 AND id = $2 AND node = $3 AND claim = $4 AND addresses = $8`,
			b.Job, b.ID, node, b.Claim, keeper, one.Left.Addresses, one.Left.Data, before, one.Left.Rows)
	}
	if err != nil {
		return false, err
	}
	changed, err := result.RowsAffected()
	if err != nil || changed == 0 || len(one.Results) == 0 {
		return changed > 0, err
	}
	part := 0
	if one.Left != nil {
		part = one.Left.Addresses
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO job_results (job, segment, batch, part, data) VALUES ($1, $2, $3, $4, $5)`, b.Job, b.Segment, b.ID, part, one.Results)
	return true, err
}

// addressesBefore is how many addresses a batch has until it is settled so.
func addressesBefore(one *Settlement) int {
	n := int(one.Settled())
	for _, later := range one.Later {
		n += later.Addresses
	}
	if one.Left != nil {
		n += one.Left.Addresses
	}
	return n
}

// settledJobs are the jobs of some settlements, in the order of their IDs.
type settledJobs struct{ all []settledJob }

type settledJob struct {
	id      string
	ended   bool // it cannot be settled any more
	reports bool // there are webhooks of its progress
	done    int64
	counts  map[[2]string]int64
	groups  map[string]GroupCount
	later   []Batch
	failed  string
}

// lock locks the row of a job; false: the job has ended or is deleted.
func (j *settledJobs) lock(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	if n := len(j.all); n > 0 && j.all[n-1].id == id {
		return !j.all[n-1].ended, nil
	}
	var tenth int64
	err := tx.QueryRowContext(ctx, `
		UPDATE jobs SET state = state WHERE id = $1 AND deleted = 0 AND state IN ('queued', 'running', 'paused') RETURNING progress`, id).Scan(&tenth)
	ended := errors.Is(err, sql.ErrNoRows)
	if err != nil && !ended {
		return false, err
	}
	j.all = append(j.all, settledJob{id: id, ended: ended, reports: tenth > 0, counts: map[[2]string]int64{}, groups: map[string]GroupCount{}})
	return !ended, nil
}

func (j *settledJobs) add(one *Settlement) {
	last := &j.all[len(j.all)-1]
	last.done += one.Settled()
	for _, c := range one.Counts {
		last.counts[[2]string{c.Result, c.Reason}] += c.Addresses
	}
	addGroups(last.groups, one.Groups)
	last.later = append(last.later, one.Later...)
	last.failed = cmp.Or(last.failed, one.Failed)
}

var upsertCounts = upsert{
	table:   "job_counts",
	columns: []string{"job", "result", "reason", "addresses"},
	then:    `ON CONFLICT (job, result, reason) DO UPDATE SET addresses = job_counts.addresses + excluded.addresses`,
}

func (s *Store) settle(ctx context.Context, tx *sql.Tx, jobs *settledJobs) error {
	for _, j := range jobs.all {
		if j.ended {
			continue
		}
		if err := addBatches(ctx, tx, j.id, j.later); err != nil {
			return err
		}
		var counts [][]any
		for of, n := range j.counts {
			counts = append(counts, []any{j.id, of[0], of[1], n})
		}
		if err := upsertCounts.run(ctx, tx, counts); err != nil {
			return err
		}
		if err := changeGroups(ctx, tx, j.id, j.groups, 1); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET done = done + $2 WHERE id = $1`, j.id, j.done); err != nil {
			return err
		}
		err := s.endIfDone(ctx, tx, j.id)
		switch {
		case j.failed != "":
			err = s.endJob(ctx, tx, j.id, JobFailed, j.failed)
		case err == nil && j.reports:
			err = s.jobAdvanced(ctx, tx, j.id)
		}
		if err != nil {
			return fmt.Errorf("job %s: %w", j.id, err)
		}
	}
	return nil
}

// NextBatch returns when the first batch of a job that a node with this egress
// may take is due; zero: there is none.
func (s *Store) NextBatch(ctx context.Context, job, egress string) (due time.Time, err error) {
	err = s.read(ctx, "read batches", func(ctx context.Context, db *sql.DB) error {
		var first sql.NullInt64
		err := db.QueryRowContext(ctx, `SELECT MIN(run_after) FROM job_batches WHERE job = $3 AND `+free,
			millisOf(s.now()), storable(egress), job).Scan(&first)
		due = millis(first.Int64).time()
		if first.Valid && due.IsZero() {
			due = time.UnixMilli(1).UTC() // at once
		}
		return err
	})
	return due, err
}
