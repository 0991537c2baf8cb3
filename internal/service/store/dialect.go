package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is what SQLite and PostgreSQL do not share.
type dialect struct {
	name string
	// skipLocked ends the SELECT of a claim, so that it skips rows that another
	// transaction is about to change.
	skipLocked string
	// keepRow ends a SELECT that lets nobody delete or lock the row before the
	// transaction ends, and lockRow one that waits for such, and for whoever
	// changes the row.
	keepRow, lockRow string
	// lockSchema makes other transactions that begin with it wait for the end
	// of this one.
	lockSchema string
	// snapshot is for a transaction that reads everything as of one moment.
	snapshot sql.TxOptions
	// tables lists the tables of the database.
	tables string
	// lostRace reports whether a transaction failed because of another one, so
	// that it may succeed when repeated.
	lostRace func(error) bool
	// explain returns the kind of an engine's error, and the error in words
	// that say what to do.
	explain func(where string, err error) (kind, explained error)
}

var sqliteDialect = dialect{
	name:       "sqlite",
	lockSchema: `SELECT 1`, // each transaction that writes is alone from its beginning: _txlock=immediate
	snapshot:   sql.TxOptions{ReadOnly: true},
	tables:     `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
	lostRace:   func(error) bool { return false }, // SQLite waits by itself: busy_timeout
	explain:    explainSQLite,
}

var postgresDialect = dialect{
	name:       "postgresql",
	skipLocked: `FOR UPDATE SKIP LOCKED`,
	keepRow:    `FOR KEY SHARE`,
	lockRow:    `FOR UPDATE`,
	lockSchema: `SELECT pg_advisory_xact_lock(7238245310)`, // a number of ours
	snapshot:   sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	tables:     `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
	lostRace:   lostRacePostgres,
	explain:    explainPostgres,
}

// claim is a statement that changes the rows of a table that a SELECT picks by
// their key, and returns them. PostgreSQL may run a sub-select anew for each
// row of the table. One that skips locked rows finds others then each time, and
// its LIMIT holds nothing; materialized, it runs once.
func (d *dialect) claim(table, key, set, picks, returning string) string {
	return `WITH picked AS MATERIALIZED (SELECT ` + key + ` FROM ` + table + ` WHERE ` + picks + ` ` + d.skipLocked + `)
		UPDATE ` + table + ` SET ` + set + ` WHERE (` + key + `) IN (SELECT ` + key + ` FROM picked) RETURNING ` + returning
}

// openSQLite opens the database in file with one connection that writes and
// some that read.
func openSQLite(file string) (*database, error) {
	const readers = 4
	db := &database{dialect: sqliteDialect, where: file, file: file}
	var err error
	if db.writer, err = sql.Open("sqlite", sqliteName(file, "synchronous(FULL)", "foreign_keys(ON)", "secure_delete(ON)")); err != nil {
		return nil, err
	}
	db.writer.SetMaxOpenConns(1)
	if db.reader, err = sql.Open("sqlite", sqliteName(file, "query_only(ON)")); err != nil {
		return nil, err
	}
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	return db, nil
}

// sqliteName returns a data source for the driver: every transaction begins as
// a writing one, unless it is read-only.
func sqliteName(file string, pragmas ...string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": append([]string{"busy_timeout(10000)", "journal_mode(WAL)", "journal_size_limit(67108864)"},
			pragmas...),
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: query.Encode()}
	return name.String()
}

// openPostgres prepares connections; the first one is made when it is needed.
func openPostgres(databaseURL string) (*database, error) {
	const (
		connections    = 16
		idle           = 4
		connectTimeout = 5 * time.Second
	)
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("the address of the database is invalid, it must look like postgres://user:password@host:5432/name: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "rcpt"
	}
	where := fmt.Sprintf("PostgreSQL database %q on %s", config.Database, config.Host)
	db := &database{dialect: postgresDialect, where: where}
	var options []stdlib.OptionOpenDB
	switch {
	case config.RuntimeParams[abandonedSetting] != "": // the address names another time
	case sharesConnections(config):
		db.atBegin = endAbandoned(" LOCAL")
	default:
		// It is no parameter of the connection's start, because PgBouncer
		// refuses those that it does not know.
		options = append(options, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, endAbandoned(""))
			return err
		}))
	}
	db.writer = stdlib.OpenDB(*config, options...)
	db.reader = db.writer
	db.writer.SetMaxOpenConns(connections)
	db.writer.SetMaxIdleConns(idle)
	return db, nil
}

// sharesConnections reports whether the address of the database is that of a
// pool, such as PgBouncer in transaction mode, which gives each transaction any
// of its connections. Prepared statements do not work there, and a setting that
// outlives its transaction is one of other clients, too.
func sharesConnections(config *pgx.ConnConfig) bool {
	return config.DefaultQueryExecMode == pgx.QueryExecModeExec || config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol
}

// abandonedAfter is how long a transaction may do nothing before PostgreSQL
// ends it. A server that stands still within a transaction, or is cut from the
// database, would keep its locks for as long, and others could not go on with
// the same list.
const abandonedAfter = 5 * time.Second

const abandonedSetting = "idle_in_transaction_session_timeout"

// endAbandoned is the statement that sets that, for the connection or, with
// LOCAL, for the transaction.
func endAbandoned(local string) string {
	return fmt.Sprintf(`SET%s %s = %d`, local, abandonedSetting, abandonedAfter.Milliseconds())
}

func explainSQLite(where string, err error) (kind, explained error) {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return kindOfFile(err), fmt.Errorf("%s: %w", where, err)
	}
	const primary = 0xff // the rest of a code is detail
	switch failure.Code() & primary {
	case sqlite3.SQLITE_FULL:
		return rows.ErrFull, fmt.Errorf("the disk of %s is full, make room on it: %w", where, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ErrUnavailable, fmt.Errorf("%s cannot be written to, look at its owner and mode, its folder's, and how the disk is mounted: %w", where, err)
	case sqlite3.SQLITE_IOERR:
		return ErrUnavailable, fmt.Errorf("the disk of %s fails or is full: %w", where, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrUnavailable, fmt.Errorf("%s is busy, another process writes to it: %w", where, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return nil, fmt.Errorf("%s is damaged or not a database: stop rcpt, move it and its -wal and -shm files away, and put a backup in its place: %w", where, err)
	case sqlite3.SQLITE_CANTOPEN:
		return ErrUnavailable, fmt.Errorf("%s cannot be opened, look at its owner and mode and its folder's: %w",
			where, err)
	case sqlite3.SQLITE_CONSTRAINT:
		return kindOfConstraint(failure.Code()), err
	}
	return nil, fmt.Errorf("%s: %w", where, err)
}

func kindOfConstraint(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return ErrExists
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrNotFound
	}
	return ErrInvalid
}

func kindOfFile(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) {
		return ErrUnavailable
	}
	return nil
}

// Classes and codes are those of PostgreSQL's appendix A, "Error Codes".
func explainPostgres(where string, err error) (kind, explained error) {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		if lostConnection(err) {
			return ErrUnavailable, fmt.Errorf("no connection to the %s, is it running and reachable: %w",
				where, lastTry(err))
		}
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	switch code := answer.Code; {
	case code == "23505": // unique_violation
		return ErrExists, err
	case code == "23503": // foreign_key_violation
		return ErrNotFound, err
	case code == "53100": // disk_full
		return rows.ErrFull, fmt.Errorf("the disk of the %s is full, make room on it: %w", where, err)
	case code == "25P03": // idle_in_transaction_session_timeout
		return ErrUnavailable, fmt.Errorf("this process stood still, and the %s ended its transaction: %w", where, err)
	case code == "26000", code == "42P05": // invalid_sql_statement_name, duplicate_prepared_statement
		return ErrUnavailable, fmt.Errorf("prepared statements get lost on the way to the %s, as in PgBouncer's transaction mode: "+
			"add ?default_query_exec_mode=exec to the URL, or connect in session mode: %w", where, err)
	case code == "25006": // read_only_sql_transaction
		return ErrUnavailable, fmt.Errorf("the %s is read-only, perhaps a standby, rcpt needs the primary: %w",
			where, err)
	case strings.HasPrefix(code, "28"), code == "3D000": // invalid authorization, no such database
		return ErrUnavailable, fmt.Errorf("the %s refuses us, look at user, password and name of the database: %w",
			where, err)
	case code == "42501": // insufficient_privilege
		return nil, fmt.Errorf("the user may not do this in the %s, make the user its owner: %w", where, err)
	case strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57"), strings.HasPrefix(code, "58"), strings.HasPrefix(code, "08"), lostRacePostgres(err):
		return ErrUnavailable, fmt.Errorf("the %s cannot do it now: %w", where, err)
	case strings.HasPrefix(code, "XX"):
		return nil, fmt.Errorf("the %s is damaged, look at its log: %w", where, err)
	}
	return nil, fmt.Errorf("%s: %w", where, err)
}

func lostRacePostgres(err error) bool {
	var answer *pgconn.PgError
	// serialization_failure, deadlock_detected
	return errors.As(err, &answer) && (answer.Code == "40001" || answer.Code == "40P01")
}

// lastTry returns the outcome of the last attempt to connect. The driver's
// error contains that of each attempt, with and without TLS, which are mostly
// the same.
func lastTry(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) {
		return err
	}
	for cause := failed.Unwrap(); cause != nil; cause = errors.Unwrap(cause) {
		if all, ok := cause.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
			return all.Unwrap()[len(all.Unwrap())-1]
		}
	}
	return err
}

func lostConnection(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, driver.ErrBadConn) ||
		pgconn.Timeout(err) || pgconn.SafeToRetry(err)
}
