package store

import (
	"context"
	"database/sql"
	"time"
)

// Session is a dashboard sign-in.
type Session struct {
	Hash    Hash   // of the cookie
	Account string // the ID
	Created time.Time
	Expires time.Time
}

// CreateSession stores a session. [ErrNotFound]: there is no such account.
func (s *Store) CreateSession(ctx context.Context, session Session) error {
	return s.write(ctx, "create session", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (hash, account, created, expires) VALUES ($1, $2, $3, $4)`,
			octets(session.Hash), session.Account, millisOf(s.now()), millisOf(session.Expires))
		return err
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

// ExtendSession sets when a session expires. [ErrNotFound]: it has ended or
// expired.
func (s *Store) ExtendSession(ctx context.Context, hash Hash, expires time.Time) error {
	return s.write(ctx, "extend session", func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE sessions SET expires = $2 WHERE hash = $1 AND expires > $3`,
			octets(hash), millisOf(expires), millisOf(s.now())))
	})
}

// EndSession ends a session; one that is not there has ended already.
func (s *Store) EndSession(ctx context.Context, hash Hash) error {
	return s.write(ctx, "end session", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE hash = $1`, octets(hash))
		return err
	})
}

// EndSessions ends all sessions of an account.
func (s *Store) EndSessions(ctx context.Context, account string) error {
	return s.write(ctx, "end sessions", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE account = $1`, account)
		return err
	})
}
