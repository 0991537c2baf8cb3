package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Error is what every method of the package returns as an error.
type Error struct {
	Op   string // what was to be done, such as "create key"
	Kind error  // one of the variables above, or nil
	Err  error  // what is wrong and what to do
}

func (e *Error) Error() string { return "store: " + e.Op + ": " + e.Err.Error() }

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Kind == nil {
		return []error{e.Err}
	}
	return []error{e.Kind, e.Err}
}

// failed returns err, which occurred in op, as an error of this package; nil
// stays nil.
func (db *database) failed(op string, err error) error {
	var ours *Error
	switch {
	case err == nil, errors.As(err, &ours):
		return err
	case errors.Is(err, errTooSlow):
		return &Error{op, ErrUnavailable, err}
	case endedByContext(err):
		return &Error{op, nil, err}
	case errors.Is(err, sql.ErrNoRows):
		return &Error{op, ErrNotFound, ErrNotFound}
	}
	for _, kind := range []error{ErrNotFound, ErrExists, ErrInvalid, ErrLeaseLost, ErrNotEmpty, ErrSchemaTooNew, ErrLocked, ErrUnavailable, ErrState, ErrInProgress, ErrKeyEnded, ErrTooMany, ErrLastAdmin, rows.ErrQuota} {
		if errors.Is(err, kind) {
			return &Error{op, kind, err}
		}
	}
	kind, explained := db.explain(db.where, err)
	return &Error{op, kind, explained}
}

// endedByContext reports whether an operation failed because the context of the
// caller ended. PostgreSQL's driver has a time limit of its own for making a
// connection: a database that is silent for that long is not available.
func endedByContext(err error) bool {
	silent := errors.As(err, new(*pgconn.ConnectError))
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !silent
}
