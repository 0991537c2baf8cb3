package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

const (
	// opTimeout limits one operation, so that a database that has gone silent
	// does not hold its callers forever.
	opTimeout = 10 * time.Second
	// closeTimeout is for the last commit of the queue.
	closeTimeout = 5 * time.Second
	// tries is how often a transaction is begun that loses to another one.
	tries = 4
)

var errTooSlow = fmt.Errorf("it did not answer within %v", opTimeout)

// database is one engine, opened.
type database struct {
	dialect
	where  string      // for error messages, without a password
	file   string      // SQLite's
	opened fs.FileInfo // of file, when it was opened
	writer *sql.DB
	reader *sql.DB // the same for PostgreSQL
	lock   *folderLock
	beside bool // another process has the lock
	// atBegin is the first statement of each writing transaction; empty: none.
	atBegin string
}

func (db *database) pools() []*sql.DB {
	if db.reader == db.writer {
		return []*sql.DB{db.writer}
	}
	return []*sql.DB{db.reader, db.writer}
}

// close closes the readers first: the last connection leaves SQLite's log
// behind if it may not write.
func (db *database) close() error {
	var errs []error
	for _, pool := range db.pools() {
		errs = append(errs, pool.Close())
	}
	return errors.Join(append(errs, db.lock.release())...)
}

// transaction runs work in a writing transaction, again if it lost a race with
// another one.
func (db *database) transaction(ctx context.Context, op string, work func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, opTimeout, errTooSlow)
	defer cancel()
	var err error
	for range tries {
		if err = db.attempt(ctx, work); err == nil || !db.lostRace(err) {
			break
		}
	}
	return db.failed(op, overdue(ctx, err))
}

func (db *database) attempt(ctx context.Context, work func(context.Context, *sql.Tx) error) error {
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if db.atBegin != "" {
		if _, err := tx.ExecContext(ctx, db.atBegin); err != nil {
			return err
		}
	}
	if err := work(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// overdue replaces an error by the reason why ctx ended, which each engine
// words in its own way.
func overdue(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// emptyLog moves SQLite's log into the database and truncates it, because the
// log has pages from before a deletion. It does not wait, so that a
// long-reading backup does not delay writers; it will be called again soon.
func (db *database) emptyLog(ctx context.Context) error {
	if db.file == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, opTimeout, errTooSlow)
	defer cancel()
	noWait, err := sql.Open("sqlite", sqliteName(db.file, "busy_timeout(0)", "secure_delete(ON)"))
	if err == nil {
		_, err = noWait.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		err = errors.Join(err, noWait.Close())
	}
	return db.failed("empty the log", overdue(ctx, err))
}

func (s *Store) write(ctx context.Context, op string, work func(context.Context, *sql.Tx) error) error {
	return s.db.transaction(ctx, op, work)
}

func (s *Store) read(ctx context.Context, op string, work func(context.Context, *sql.DB) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, opTimeout, errTooSlow)
	defer cancel()
	return s.db.failed(op, overdue(ctx, work(ctx, s.db.reader)))
}

// scanner is a row.
type scanner interface{ Scan(...any) error }

// querier is what can be asked for rows.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect returns the rows of a query.
func collect[T any](
	ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// one makes a statement that changed no row an [ErrNotFound].
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	changed, err := result.RowsAffected()
	if err == nil && changed == 0 {
		return ErrNotFound
	}
	return err
}

// nullable is NULL for an empty text.
func nullable(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
