package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// maxJobs limits how many jobs one page of [Store.Jobs] has.
const maxJobs = 1000

// BeginJob makes a job whose list is arriving on the node: nobody sees it
// before [Store.StartJob]. The store makes its ID. head is the beginning of the
// list, from which its format can be found again. quota is the limit of the key
// in a month, and zero for none: j.Addresses units of it are taken, or the
// error is [rows.ErrQuota]. They come back with what is deleted or cancelled
// before it is asked about, also if this process is lost.
func (s *Store) BeginJob(ctx context.Context, node string, j Job, quota int64, head []byte) (Job, error) {
	for what, text := range map[string]string{"name": j.Name, "webhook": j.Webhook, "notify": j.Notify} {
		if err := checkText(what, text); err != nil {
			return j, s.db.failed("create job", err)
		}
	}
	j.ID, j.State = newID("job"), JobLoading
	if j.Created.IsZero() {
		j.Created = s.now()
	}
	tenth := 0
	if j.Progress {
		tenth = 1
	}
	err := s.write(ctx, "create job", func(ctx context.Context, tx *sql.Tx) error {
		if err := keyMayBegin(ctx, tx, j.Key, millisOf(s.now())); err != nil {
			return err
		}
		month, err := takeQuota(ctx, tx, j, quota)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO jobs (id, owner, api_key, name, webhook, state, problem, node, row_count, duplicates, unusable, addresses, done, segments,
				batches, quota_month, created, started, finished, expires, deleted, format, head, progress, compared_with, notify)
			VALUES ($1, $2, $3, $4, $5, $6, '', $7, 0, 0, 0, $12, 0, 0, 0, $13, $8, 0, 0, $9, 0, $10, $11, $14, $15, $16)`,
			j.ID, storable(j.Owner), storable(j.Key), j.Name, j.Webhook, string(j.State), node, millisOf(j.Created),
			millisOf(j.Expires), storable(j.Format), append([]byte{}, head...),
			j.Addresses, millisOf(month), tenth, storable(j.ComparedWith), j.Notify)
		return err
	})
	return j, err
}

// takeQuota takes a unit for each address of a job, or none, and returns from
// which month.
func takeQuota(ctx context.Context, tx *sql.Tx, j Job, limit int64) (month time.Time, err error) {
	if limit <= 0 {
		return time.Time{}, nil
	}
	taken := &reservation{
		Reservation: Reservation{Key: j.Key, Month: monthOf(j.Created)}, want: j.Addresses, limit: limit,
	}
	if err := reserve(ctx, tx, []*reservation{taken}); err != nil {
		return time.Time{}, err
	}
	if taken.Units < j.Addresses {
		return time.Time{}, fmt.Errorf("%w: the list has %d addresses", rows.ErrQuota, j.Addresses)
	}
	return taken.Month, nil
}

// addBatches gives each batch the next ID of its job.
func addBatches(ctx context.Context, tx *sql.Tx, job string, batches []Batch) error {
	if len(batches) == 0 {
		return nil
	}
	var last int64
	if err := tx.QueryRowContext(ctx, `UPDATE jobs SET batches = batches + $2 WHERE id = $1 RETURNING batches`, job, len(batches)).Scan(&last); err != nil {
		return err
	}
	var rows [][]any
	for i, b := range batches {
		id, fresh := last-int64(len(batches)-1-i), 1
		if b.Retry {
			fresh = 0
		}
		rows = append(rows, []any{
			job, id, b.Segment, storable(b.Domain), storable(b.Egress), fresh,
			millisOf(b.RunAfter), "", 0, b.Addresses, b.Data, b.KeptResult, b.KeptReason, b.KeptGroup, b.Rows,
		})
	}
	return insertBatches.run(ctx, tx, rows)
}

var insertBatches = upsert{
	table: "job_batches",
	columns: []string{
		"job", "id", "segment", "domain", "egress", "fresh", "run_after", "node", "claim", "addresses", "data",
		"kept_result", "kept_reason", "kept_group", "row_count",
	},
}

// StartJob makes a job whose list has arrived one to be worked on, and keeps
// what a request with a token has led to. From now on it survives everything.
// A job without addresses is done. [ErrNotFound]: it was deleted, as that of a
// node that was given up for lost. [ErrKeyEnded]: its key was revoked or has
// expired while the list arrived.
func (s *Store) StartJob(
	ctx context.Context, by Actor, id string, t JobTotals, request *JobRequest,
) (j Job, err error) {
	err = s.write(ctx, "start job", func(ctx context.Context, tx *sql.Tx) error {
		if err := s.mayStart(ctx, tx, id); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE jobs SET state = 'queued', node = '', row_count = $2, duplicates = $3, unusable = $4, addresses = $5, segments = $6
			WHERE id = $1 AND state = 'loading' AND deleted = 0`,
			id, t.Rows, t.Duplicates, t.Unusable, t.Addresses, t.Segments)
		if err := one(result, err); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, by, Event{What: rows.ListCreated, Object: id}); err != nil {
			return err
		}
		if err := beginGroups(ctx, tx, id, t.Groups); err != nil {
			return err
		}
		if err := reuse(ctx, tx, id, t.Reused); err != nil {
			return err
		}
		if request != nil {
			if err := keepRequest(ctx, tx, request, id); err != nil {
				return err
			}
		}
		if err := s.endIfDone(ctx, tx, id); err != nil {
			return err
		}
		j, err = readJob(ctx, tx, id)
		return err
	})
	s.jobsChanged()
	return j, err
}

// reuse counts results that are there when a job starts.
func reuse(ctx context.Context, tx *sql.Tx, id string, counted []ResultCount) error {
	var counts [][]any
	var n int64
	for _, c := range counted {
		counts = append(counts, []any{id, c.Result, c.Reason, c.Addresses})
		n += c.Addresses
	}
	if n == 0 {
		return nil
	}
	if err := upsertCounts.run(ctx, tx, counts); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET done = $2, reused = $2 WHERE id = $1`, id, n)
	return err
}

// mayStart asks again for the key of a list that has arrived.
func (s *Store) mayStart(ctx context.Context, tx *sql.Tx, id string) error {
	var key string
	err := tx.QueryRowContext(ctx, `SELECT api_key FROM jobs WHERE id = $1`, id).Scan(&key)
	if err != nil {
		return err
	}
	return keyMayBegin(ctx, tx, key, millisOf(s.now()))
}

const jobColumns = `id, owner, api_key, name, webhook, state, problem, format, row_count, duplicates, unusable, addresses, done, segments,
	created, started, finished, expires, progress, reused, compared_with, notify`

func scanJob(row scanner) (Job, error) {
	var j Job
	var created, started, finished, expires millis
	var tenth int64
	err := row.Scan(&j.ID, &j.Owner, &j.Key, &j.Name, &j.Webhook, &j.State, &j.Problem, &j.Format, &j.Rows, &j.Duplicates, &j.Unusable, &j.Addresses, &j.Done,
		&j.Segments, &created, &started, &finished, &expires, &tenth, &j.Reused, &j.ComparedWith, &j.Notify)
	j.Progress = tenth > 0
	j.Created, j.Started, j.Finished, j.Expires = created.time(), started.time(), finished.time(), expires.time()
	return j, err
}

// asker is a database or a transaction.
type asker interface {
	querier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// visible is the condition for jobs that anybody sees.
const visible = `deleted = 0 AND state NOT IN ('loading', 'draft')`

// readJob reads a job with its counters.
func readJob(ctx context.Context, q asker, id string) (Job, error) {
	j, err := scanJob(q.QueryRowContext(ctx, `SELECT `+jobColumns+` FROM jobs WHERE id = $1 AND `+visible, id))
	if err != nil {
		return j, err
	}
	all := []Job{j}
	err = readCounts(ctx, q, all)
	return all[0], err
}

// readCounts adds their counters to jobs.
func readCounts(ctx context.Context, q querier, jobs []Job) error {
	if len(jobs) == 0 {
		return nil
	}
	place := make(map[string]int, len(jobs))
	args := make([]any, len(jobs))
	for i := range jobs {
		jobs[i].Results, jobs[i].Reasons = map[string]int64{}, map[string]int64{}
		place[jobs[i].ID], args[i] = i, jobs[i].ID
	}
	rows, err := q.QueryContext(ctx,
		`SELECT job, result, reason, addresses FROM job_counts WHERE job IN (`+placeholders(1, len(args))+`)`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var job, result, reason string
		var n int64
		if err := rows.Scan(&job, &result, &reason, &n); err != nil {
			return err
		}
		jobs[place[job]].Results[result] += n
		if reason != "" {
			jobs[place[job]].Reasons[reason] += n
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return readGroups(ctx, q, jobs, place, args)
}

// placeholders returns n of them, from the given number on.
func placeholders(from, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("$", from+i)
	}
	return strings.Join(all, ", ")
}

// snapshot reads in one transaction, so that the counters fit the job.
func (s *Store) snapshot(ctx context.Context, op string, work func(context.Context, *sql.Tx) error) error {
	return s.read(ctx, op, func(ctx context.Context, db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &s.db.dialect.snapshot)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return work(ctx, tx)
	})
}

// Job returns a job. [ErrNotFound]: no job has that ID.
func (s *Store) Job(ctx context.Context, id string) (j Job, err error) {
	err = s.snapshot(ctx, "read job", func(ctx context.Context, tx *sql.Tx) error {
		j, err = readJob(ctx, tx, id)
		return err
	})
	return j, err
}

// Jobs returns jobs, the newest first.
func (s *Store) Jobs(ctx context.Context, q JobQuery) (all []Job, err error) {
	where, args := visible, []any{}
	if q.Owners != nil {
		where += ` AND owner IN (` + placeholders(1, max(1, len(q.Owners))) + `)`
		for _, owner := range q.Owners {
			args = append(args, owner)
		}
		if len(args) == 0 {
			args = append(args, nil)
		}
	}
	for column, value := range map[string]string{"api_key": q.Key, "state": string(q.State)} {
		if value != "" {
			args = append(args, storable(value))
			where += fmt.Sprintf(` AND %s = $%d`, column, len(args))
		}
	}
	err = s.snapshot(ctx, "read jobs", func(ctx context.Context, tx *sql.Tx) error {
		if q.Before != "" {
			var created int64
			err := tx.QueryRowContext(ctx, `SELECT created FROM jobs WHERE id = $1`, q.Before).Scan(&created)
			if errors.Is(err, sql.ErrNoRows) {
				return nil // it was deleted: so are those before it, or soon
			}
			if err != nil {
				return err
			}
			n := len(args)
			where += fmt.Sprintf(` AND (created < $%d OR created = $%d AND id < $%d)`, n+1, n+1, n+2)
			args = append(args, created, q.Before)
		}
		limit := q.Limit
		if limit <= 0 || limit > maxJobs {
			limit = maxJobs
		}
		args = append(args, limit)
		all, err = collect(ctx, tx, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE `+where+` ORDER BY created DESC, id DESC LIMIT $`+fmt.Sprint(len(args)), args...)
		if err != nil {
			return err
		}
		return readCounts(ctx, tx, all)
	})
	return all, err
}

// JobHead returns the beginning of a job's list.
func (s *Store) JobHead(ctx context.Context, job string) (head []byte, err error) {
	err = s.read(ctx, "read job", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT head FROM jobs WHERE id = $1 AND deleted = 0`, job).Scan(&head)
	})
	return head, err
}

// StoredOctets returns what the lists of an owner take, or those of all if it
// is empty: their rows and heads, compressed as they are.
func (s *Store) StoredOctets(ctx context.Context, owner string) (taken int64, err error) {
	err = s.read(ctx, "measure jobs", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `
			SELECT COALESCE(SUM(LENGTH(j.head) + COALESCE((SELECT SUM(LENGTH(s.data)) FROM job_segments s WHERE s.job = j.id), 0)), 0)
			FROM jobs j WHERE j.owner = $1 OR $1 = ''`, owner).Scan(&taken)
	})
	return taken, err
}

// JobStates returns the states of the jobs that may have something to ask, at
// most maxJobs. Owners take turns, and of one owner's jobs the one with least
// left comes first. Those of ids are among them however many come before.
func (s *Store) JobStates(ctx context.Context, ids []string) (active []Job, err error) {
	args := []any{maxJobs, ""}
	for _, id := range ids {
		args = append(args, id)
	}
	err = s.read(ctx, "read jobs", func(ctx context.Context, db *sql.DB) error {
		active, err = collect(ctx, db, scanJob, `
			SELECT `+jobColumns+` FROM (
				SELECT * FROM (
					SELECT jobs.*, ROW_NUMBER() OVER (PARTITION BY owner ORDER BY addresses - done, created, id) AS turn
					FROM jobs WHERE state IN ('queued', 'running') AND deleted = 0) AS turns
				ORDER BY id NOT IN (`+placeholders(2, len(args)-1)+`), turn, addresses - done, created, id LIMIT $1) AS first
			ORDER BY turn, addresses - done, created, id`, args...)
		return err
	})
	return active, err
}

// JobsChanged is notified after changes of jobs through this Store.
func (s *Store) JobsChanged() <-chan struct{} { return s.jobWake }

func (s *Store) jobsChanged() {
	select {
	case s.jobWake <- struct{}{}:
	default:
	}
}
