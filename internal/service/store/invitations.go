package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Invitation is a link with which somebody gets an account, once. The store has
// only the hash of its token.
type Invitation struct {
	ID      string // made when it is stored
	Hash    Hash
	Login   string // whom it is for; they may choose another
	Role    Role
	Account string // the ID of the admin who made it; empty: the command line
	Created time.Time
	Expires time.Time
}

// Invite stores an invitation and returns it with its ID. [ErrExists]: somebody
// has the login. [ErrNotFound]: the account that invites is not that of an
// admin any more.
func (s *Store) Invite(ctx context.Context, by Actor, i Invitation) (Invitation, error) {
	i.ID, i.Login, i.Created = newID("inv"), loginOf(i.Login), millisOf(s.now()).time()
	return i, s.write(ctx, "invite", func(ctx context.Context, tx *sql.Tx) error {
		if err := s.checkInvitation(ctx, tx, i); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO invitations (id, hash, login, role, account, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			i.ID, octets(i.Hash), i.Login, string(i.Role), nullable(i.Account), millisOf(i.Created), millisOf(i.Expires)); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, invitationEvent(rows.Invited, i))
	})
}

func (s *Store) checkInvitation(ctx context.Context, tx *sql.Tx, i Invitation) error {
	if err := checkRole(i.Role); err != nil {
		return err
	}
	if i.Login == "" {
		return fmt.Errorf("%w: an invitation needs a login", ErrInvalid)
	}
	if err := checkText("login", i.Login); err != nil {
		return err
	}
	if taken, err := exists(ctx, tx, `SELECT 1 FROM accounts WHERE login = $1`, i.Login); err != nil || taken {
		if taken {
			err = fmt.Errorf("%w: an account with the login %s", ErrExists, i.Login)
		}
		return err
	}
	if i.Account == "" {
		return nil
	}
	return one(tx.ExecContext(ctx, `UPDATE accounts SET role = role WHERE id = $1 AND role = 'admin'`, i.Account))
}

func invitationEvent(what rows.What, i Invitation) Event {
	return Event{What: what, Object: i.ID, Name: i.Login, Detail: string(i.Role)}
}

const selectInvitations = `SELECT id, hash, login, role, COALESCE(account, ''), created, expires FROM invitations`

func scanInvitation(row scanner) (i Invitation, err error) {
	var created, expires millis
	err = row.Scan(&i.ID, (*octets)(&i.Hash), &i.Login, &i.Role, &i.Account, &created, &expires)
	i.Created, i.Expires = created.time(), expires.time()
	return i, err
}

// Invitations returns those that can still be accepted, the oldest first.
func (s *Store) Invitations(ctx context.Context) (all []Invitation, err error) {
	err = s.read(ctx, "read invitations", func(ctx context.Context, db *sql.DB) error {
		all, err = collect(ctx, db, scanInvitation, selectInvitations+` WHERE expires > $1 ORDER BY created, id`, millisOf(s.now()))
		return err
	})
	return all, err
}

// Invitation returns the one with the hash, or [ErrNotFound] for one that is
// unknown, revoked, accepted or expired.
func (s *Store) Invitation(ctx context.Context, hash Hash) (i Invitation, err error) {
	err = s.read(ctx, "read invitation", func(ctx context.Context, db *sql.DB) error {
		i, err = scanInvitation(db.QueryRowContext(ctx, selectInvitations+` WHERE hash = $1 AND expires > $2`, octets(hash), millisOf(s.now())))
		return err
	})
	return i, err
}

// RevokeInvitation ends an invitation. [ErrNotFound]: it was accepted or has
// ended.
func (s *Store) RevokeInvitation(ctx context.Context, by Actor, id string) error {
	return s.write(ctx, "revoke invitation", func(ctx context.Context, tx *sql.Tx) error {
		i, err := s.takeInvitation(ctx, tx, `id = $1`, storable(id))
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, invitationEvent(rows.InviteRevoked, i))
	})
}

// Join makes the account of somebody who was invited, with the role of the
// invitation, which ends with it. [ErrNotFound]: it was revoked, accepted or
// has expired. [ErrExists]: the login is taken; the invitation stays.
func (s *Store) Join(ctx context.Context, invitation Hash, a Account) (Account, error) {
	a = s.newAccount(a)
	err := s.write(ctx, "join", func(ctx context.Context, tx *sql.Tx) error {
		i, err := s.takeInvitation(ctx, tx, `hash = $1`, octets(invitation))
		if err != nil {
			return err
		}
		a.Role = i.Role
		if err := insertAccount(ctx, tx, a); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, ByAccount(a.ID, a.Login), accountEvent(rows.Joined, a, string(a.Role)))
	})
	return a, err
}

// takeInvitation deletes an invitation that has not expired. Of several who do
// so at once, one succeeds.
func (s *Store) takeInvitation(ctx context.Context, tx *sql.Tx, which string, value any) (Invitation, error) {
	return scanInvitation(tx.QueryRowContext(ctx, `
		DELETE FROM invitations WHERE `+which+` AND expires > $2
		RETURNING id, hash, login, role, COALESCE(account, ''), created, expires`, value, millisOf(s.now())))
}
