package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Session is a dashboard sign-in.
type Session struct {
	Hash    Hash   // of the cookie
	Account string // the ID
	Created time.Time
	Expires time.Time
}

// CreateSession stores a session. [ErrNotFound]: there is no such account.
func (s *Store) CreateSession(ctx context.Context, by Actor, session Session) error {
	return s.write(ctx, "create session", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (hash, account, created, expires) VALUES ($1, $2, $3, $4)`,
			octets(session.Hash), session.Account, millisOf(s.now()), millisOf(session.Expires))
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.SignedIn, Object: session.Account})
	})
}

// Session returns a session that has not expired, with its account; or
// [ErrNotFound].
func (s *Store) Session(ctx context.Context, hash Hash) (session Session, account Account, err error) {
	err = s.read(ctx, "read session", func(ctx context.Context, db *sql.DB) error {
		var created, expires, joined millis
		err := db.QueryRowContext(ctx, `
			SELECT s.created, s.expires, a.id, a.login, a.role, a.password, a.created
			FROM sessions s JOIN accounts a ON a.id = s.account
			WHERE s.hash = $1 AND s.expires > $2`, octets(hash), millisOf(s.now())).
			Scan(&created, &expires, &account.ID, &account.Login, &account.Role, &account.Password, &joined)
		session = Session{Hash: hash, Account: account.ID, Created: created.time(), Expires: expires.time()}
		account.Created = joined.time()
		return err
	})
	return session, account, err
}

// failuresKept is how many failed sign-ins of an hour are events: strangers
// cannot fill the disk with them.
const failuresKept = 200

// SignInFailed notes that somebody gave a wrong password for an account, or a
// login that nobody has, of which a is empty: people type their password there,
// too. Both take the same time, which tells a stranger nothing.
func (s *Store) SignInFailed(ctx context.Context, by Actor, a Account) error {
	return s.write(ctx, "record event", func(ctx context.Context, tx *sql.Tx) error {
		var n int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM events WHERE at > $1 AND what = $2`,
			millisOf(s.now().Add(-time.Hour)), string(rows.SignInFailed)).Scan(&n)
		if err != nil || n >= failuresKept {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.SignInFailed, Object: a.ID, Name: a.Login})
	})
}

// ExtendSession sets when a session expires. [ErrNotFound]: it has ended or
// expired.
func (s *Store) ExtendSession(ctx context.Context, hash Hash, expires time.Time) error {
	return s.write(ctx, "extend session", func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE sessions SET expires = $2 WHERE hash = $1 AND expires > $3`,
			octets(hash), millisOf(expires), millisOf(s.now())))
	})
}

// EndSession ends a session; one that is not there, or has expired, has ended
// already.
func (s *Store) EndSession(ctx context.Context, by Actor, hash Hash) error {
	return s.write(ctx, "end session", func(ctx context.Context, tx *sql.Tx) error {
		var account string
		err := tx.QueryRowContext(ctx, `DELETE FROM sessions WHERE hash = $1 AND expires > $2 RETURNING account`,
			octets(hash), millisOf(s.now())).Scan(&account)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.SignedOut, Object: account})
	})
}
