package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

func accountEvent(what rows.What, a Account, detail string) Event {
	return Event{What: what, Object: a.ID, Name: a.Login, Detail: detail}
}

// SetRole changes what an account may do, at once, and its keys with it: those
// of a viewer do nothing. Invitations of an admin who is none any more end.
// [ErrLastAdmin]: nobody else is one.
func (s *Store) SetRole(ctx context.Context, by Actor, id string, role Role) error {
	err := s.write(ctx, "set role", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkRole(role); err != nil {
			return err
		}
		account, err := s.lockAccount(ctx, tx, id, role)
		if err != nil || account.Role == role {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE accounts SET role = $2 WHERE id = $1`, account.ID, string(role)); err != nil {
			return err
		}
		if role != RoleAdmin {
			if _, err := tx.ExecContext(ctx, `DELETE FROM invitations WHERE account = $1`, account.ID); err != nil {
				return err
			}
		}
		if err := s.recordEvent(ctx, tx, by, accountEvent(rows.RoleChanged, account, string(role))); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	return err
}

// RemoveAccount deletes an account with its sessions and the invitations that
// it gave. Its keys go to heir, the ID of an admin, or are revoked if that is
// empty. They see the same lists as before. [ErrLastAdmin]: nobody else is one.
func (s *Store) RemoveAccount(ctx context.Context, by Actor, id, heir string) error {
	now := millisOf(s.now())
	err := s.write(ctx, "remove account", func(ctx context.Context, tx *sql.Tx) error {
		// Whoever makes a key for the account at the same time has made it
		// before this, or fails.
		account, err := s.lockAccount(ctx, tx, id, "")
		if err != nil {
			return err
		}
		detail := "its keys are revoked"
		if heir == "" {
			_, err = tx.ExecContext(ctx, `UPDATE api_keys SET revoked = $2 WHERE account = $1 AND revoked = 0`, account.ID, now)
		} else {
			detail, err = s.handOver(ctx, tx, account, heir)
		}
		if err != nil {
			return err
		}
		if _, err := pauseOrphans(ctx, tx, now); err != nil {
			return err
		}
		if err := one(tx.ExecContext(ctx, `DELETE FROM accounts WHERE id = $1`, account.ID)); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, by, accountEvent(rows.AccountRemoved, account, detail)); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	s.jobsChanged()
	return err
}

// handOver gives the keys of an account to another, an admin.
func (s *Store) handOver(ctx context.Context, tx *sql.Tx, from Account, heir string) (detail string, err error) {
	to, err := scanAccount(tx.QueryRowContext(ctx, selectAccounts+` WHERE id = $1`, storable(heir))) // admins are locked
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && (to.ID == from.ID || to.Role != RoleAdmin):
		return "", fmt.Errorf("%w: keys go to another account, of an admin", ErrInvalid)
	case err != nil:
		return "", err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE api_keys SET account = $2, lists = CASE WHEN lists = '' THEN account ELSE lists END WHERE account = $1`, from.ID, to.ID)
	return "its keys go to " + to.Login, err
}

// lockAccount returns an account that nobody else changes before the end of the
// transaction, nor gives a key. [ErrLastAdmin]: it is to get another role, and
// is the only admin. The rows of all admins are locked, and always in the same
// order: of two that take the role from each other, the second sees the first.
func (s *Store) lockAccount(ctx context.Context, tx *sql.Tx, id string, role Role) (Account, error) {
	all, err := collect(ctx, tx, scanAccount,
		selectAccounts+` WHERE role = 'admin' OR id = $1 ORDER BY id `+s.db.lockRow, storable(id))
	if err != nil {
		return Account{}, err
	}
	account, admins := Account{}, 0
	for _, a := range all {
		if a.Role == RoleAdmin {
			admins++
		}
		if a.ID == id {
			account = a
		}
	}
	switch {
	case account.ID == "":
		return account, ErrNotFound
	case account.Role == RoleAdmin && role != RoleAdmin && admins == 1:
		return account, fmt.Errorf("%w: %s is the only one", ErrLastAdmin, account.Login)
	}
	return account, nil
}
