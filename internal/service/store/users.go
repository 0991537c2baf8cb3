package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Account is a user of the dashboard.
type Account struct {
	ID       string // made when it is created
	Login    string // lower-case, unique
	Role     Role
	Password string // the text that the password hash gives (argon2id), never the password
	Created  time.Time
}

// CreateAccount stores an account and returns it with its ID. The login becomes
// lower-case. [ErrExists]: it is taken.
func (s *Store) CreateAccount(ctx context.Context, by Actor, a Account) (Account, error) {
	a = s.newAccount(a)
	return a, s.write(ctx, "create account", func(ctx context.Context, tx *sql.Tx) error {
		if err := insertAccount(ctx, tx, a); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, accountEvent(rows.AccountCreated, a, string(a.Role)))
	})
}

func (s *Store) newAccount(a Account) Account {
	a.ID, a.Login, a.Created = newID("acc"), loginOf(a.Login), millisOf(s.now()).time()
	return a
}

// loginOf is the one form of a login: a browser on another system may send the
// same letters as other characters (Unicode Standard Annex 15).
func loginOf(text string) string { return norm.NFC.String(unformedLogin(text)) }

// unformedLogin is the form of logins of earlier versions.
func unformedLogin(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

func insertAccount(ctx context.Context, tx *sql.Tx, a Account) error {
	if a.Login == "" || a.Password == "" {
		return fmt.Errorf("%w: an account needs a login and the hash of a password", ErrInvalid)
	}
	if err := checkText("login", a.Login); err != nil {
		return err
	}
	if err := checkText("hash of the password", a.Password); err != nil {
		return err
	}
	if err := checkRole(a.Role); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO accounts (id, login, role, password, created) VALUES ($1, $2, $3, $4, $5)`,
		a.ID, a.Login, string(a.Role), a.Password, millisOf(a.Created))
	return err
}

const selectAccounts = `SELECT id, login, role, password, created FROM accounts`

// Accounts returns every account, the oldest first.
func (s *Store) Accounts(ctx context.Context) (accounts []Account, err error) {
	err = s.read(ctx, "read accounts", func(ctx context.Context, db *sql.DB) error {
		accounts, err = collect(ctx, db, scanAccount, selectAccounts+` ORDER BY created, id`)
		return err
	})
	return accounts, err
}

// Account returns the account with the ID, or [ErrNotFound].
func (s *Store) Account(ctx context.Context, id string) (Account, error) {
	return s.account(ctx, selectAccounts+` WHERE id = $1`, id)
}

// AccountByLogin returns the account with the login, in any case, or
// [ErrNotFound].
func (s *Store) AccountByLogin(ctx context.Context, login string) (Account, error) {
	const query = selectAccounts + ` WHERE login IN ($1, $2) ORDER BY CASE WHEN login = $1 THEN 0 ELSE 1 END`
	return s.account(ctx, query, storable(loginOf(login)), storable(unformedLogin(login)))
}

func (s *Store) account(ctx context.Context, query string, values ...any) (account Account, err error) {
	err = s.read(ctx, "read account", func(ctx context.Context, db *sql.DB) error {
		account, err = scanAccount(db.QueryRowContext(ctx, query, values...))
		return err
	})
	return account, err
}

func scanAccount(row scanner) (Account, error) {
	var a Account
	var created millis
	err := row.Scan(&a.ID, &a.Login, &a.Role, &a.Password, &created)
	a.Created = created.time()
	return a, err
}

// SetPassword changes the hash of an account's password and ends the account's
// sessions.
func (s *Store) SetPassword(ctx context.Context, by Actor, id, hash string) error {
	return s.write(ctx, "set password", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkText("hash of the password", hash); err != nil {
			return err
		}
		if err := one(tx.ExecContext(ctx, `UPDATE accounts SET password = $2 WHERE id = $1`, id, hash)); err != nil {
			return err
		}
		account, err := scanAccount(tx.QueryRowContext(ctx, selectAccounts+` WHERE id = $1`, id))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE account = $1`, id); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, accountEvent(rows.PasswordChanged, account, ""))
	})
}
