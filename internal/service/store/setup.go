package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// CreateSetupToken stores the hash of a link with which the first admin can
// be created. Several may exist, one for each node.
func (s *Store) CreateSetupToken(ctx context.Context, hash Hash, expires time.Time) error {
	return s.write(ctx, "create set-up token", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO setup_tokens (hash, expires) VALUES ($1, $2)`,
			octets(hash), millisOf(expires))
		return err
	})
}

// CheckSetupToken returns [ErrNotFound] for a token that is unknown, used or
// expired. It does not consume the token.
func (s *Store) CheckSetupToken(ctx context.Context, hash Hash) error {
	return s.read(ctx, "read set-up token", func(ctx context.Context, db *sql.DB) error {
		var found int
		return db.QueryRowContext(ctx, `SELECT 1 FROM setup_tokens WHERE hash = $1 AND expires > $2`, octets(hash), millisOf(s.now())).Scan(&found)
	})
}

// SetUp uses a token to create the first admin, in one transaction: of several
// attempts, one succeeds. All other tokens end with it. [ErrNotFound]: the
// token is unknown, used or expired, or there is an admin: a starting node may
// have stored its token a moment too late.
func (s *Store) SetUp(ctx context.Context, token Hash, first Account) (Account, error) {
	first.Role = RoleAdmin
	first = s.newAccount(first)
	return first, s.write(ctx, "set up", func(ctx context.Context, tx *sql.Tx) error {
		if err := one(tx.ExecContext(ctx, `
			DELETE FROM setup_tokens WHERE hash = $1 AND expires > $2 AND NOT EXISTS (SELECT 1 FROM accounts WHERE role = 'admin')`,
			octets(token), millisOf(s.now()))); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM setup_tokens`); err != nil {
			return err
		}
		if err := insertAccount(ctx, tx, first); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, ByAccount(first.ID, first.Login), accountEvent(rows.AccountCreated, first, string(first.Role)))
	})
}
