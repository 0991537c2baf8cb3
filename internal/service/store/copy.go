package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// copyTimeout bounds a copy, which may be of millions of rows.
const copyTimeout = 6 * time.Hour

// copied are the tables, each after those that it refers to. The others belong
// to the database itself.
var copied = []string{
	"meta", "versions", "accounts", "sessions", "networks", "setup_tokens", "invitations", "settings",
	"api_keys", "key_uses", "usage", "quotas", "verdicts", "rechecks",
	"webhooks", "webhook_tries", "webhook_secrets", "webhook_gone", "events",
	"jobs", "job_counts", "job_groups", "job_segments", "job_batches", "job_results", "job_requests",
}

// made are the tables that have rows as soon as a database is opened. They are
// replaced.
var made = []string{"meta", "versions"}

// Copied is a table and how many rows of it were copied.
type Copied struct {
	Table string
	Rows  int64
}

// Copy copies the state at one moment from one store into another, in one
// transaction, and compares the numbers of rows. The target must be empty
// ([ErrNotEmpty]) and not in use. What is written to the source after that
// moment is not copied: stop its server first.
func Copy(ctx context.Context, from, to *Store) ([]Copied, error) {
	if err := from.Flush(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	snapshot, err := from.db.reader.BeginTx(ctx, &from.db.snapshot)
	if err != nil {
		return nil, from.db.failed("read what is to be copied", err)
	}
	defer snapshot.Rollback()
	target, err := to.db.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, to.db.failed("copy", err)
	}
	defer target.Rollback()
	if err := makeRoom(ctx, to.db, target); err != nil {
		return nil, to.db.failed("copy", err)
	}
	var all []Copied
	for _, table := range copied {
		rows, err := copyTable(ctx, table, from.db, snapshot, to.db, target)
		if err != nil {
			return nil, err
		}
		all = append(all, Copied{table, rows})
	}
	if err := target.Commit(); err != nil {
		return nil, to.db.failed("copy", err)
	}
	return all, to.loadSalt(ctx)
}

// makeRoom refuses a target that is not empty, and clears the tables that every
// target has.
func makeRoom(ctx context.Context, db *database, target *sql.Tx) error {
	for _, table := range copied {
		if slices.Contains(made, table) {
			continue
		}
		rows, err := count(ctx, target, table)
		if err != nil {
			return err
		}
		if rows > 0 {
			return fmt.Errorf("%s is %w, its table %s has rows: name an empty database", db.where, ErrNotEmpty, table)
		}
	}
	for _, table := range made {
		if _, err := target.ExecContext(ctx, `DELETE FROM `+table); err != nil {
			return err
		}
	}
	return nil
}

func copyTable(
	ctx context.Context, table string, source *database, from *sql.Tx, target *database, to *sql.Tx,
) (int64, error) {
	rows, err := from.QueryContext(ctx, `SELECT * FROM `+table)
	if err != nil {
		return 0, source.failed("read table "+table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, source.failed("read table "+table, err)
	}
	insert := upsert{table: table, columns: columns}
	var done int64
	for more := true; more; {
		var some [][]any
		if some, more, err = nextRows(rows, len(columns)); err != nil {
			return 0, source.failed("read table "+table, err)
		}
		if err := insert.run(ctx, to, some); err != nil {
			return 0, target.failed("copy table "+table, err)
		}
		done += int64(len(some))
	}
	return done, target.failed("copy table "+table, compareCounts(ctx, table, from, to))
}

// nextRows reads enough rows for some statements, and reports whether there may
// be more.
func nextRows(rows *sql.Rows, columns int) (some [][]any, more bool, err error) {
	const atOnce, octetsAtOnce = 1000, 8 << 20 // the rows of a list have up to megabytes
	for size := 0; len(some) < atOnce && size < octetsAtOnce; {
		if !rows.Next() {
			return some, false, rows.Err()
		}
		row, at := make([]any, columns), make([]any, columns)
		for i := range row {
			at[i] = &row[i]
		}
		if err := rows.Scan(at...); err != nil {
			return nil, false, err
		}
		for _, value := range row {
			if octets, is := value.([]byte); is {
				size += len(octets)
			}
		}
		some = append(some, row)
	}
	return some, true, nil
}

func compareCounts(ctx context.Context, table string, from, to *sql.Tx) error {
	want, err := count(ctx, from, table)
	if err != nil {
		return err
	}
	got, err := count(ctx, to, table)
	if err == nil && got != want {
		err = fmt.Errorf("%d of %d rows arrived: the target is unchanged", got, want)
	}
	return err
}

func count(ctx context.Context, tx *sql.Tx, table string) (rows int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+table).Scan(&rows)
	return rows, err
}
