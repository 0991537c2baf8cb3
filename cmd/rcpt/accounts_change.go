package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// accountsCreateCommand is "rcpt accounts create".
type accountsCreateCommand struct {
	keysFlags
	Role  string         `env:"-" default:"member" enum:"viewer,member,admin" placeholder:"ROLE" help:"What it may do: viewer sees results and usage; member also checks, and has keys and lists; admin may do everything. Default: ${default}."`
	Link  siteURL        `env:"-" placeholder:"URL" help:"Print a link to the server at this URL with which somebody creates the account, once, and chooses the password."`
	Days  settings.Count `env:"-" default:"7" placeholder:"N" help:"How many days the link works. Default: ${default}."`
	Login string         `arg:"" help:"The login of the account: a name or an e-mail address."`
}

// invitationRecord is an invitation as JSON.
type invitationRecord struct {
	ID      string     `json:"id"`
	Login   string     `json:"login"`
	Role    store.Role `json:"role"`
	Link    string     `json:"link"`
	Expires time.Time  `json:"expires"`
}

// Run creates an account or an invitation, and prints its secret, with nothing
// else on standard output.
func (c *accountsCreateCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	if fault := dashboard.LoginFault(c.Login); fault != "" {
		return usage(errors.New(fault))
	}
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		err := c.create(ctx, std, s)
		if errors.Is(err, store.ErrExists) {
			const format = "there is an account %q already: rcpt accounts role changes what it may do"
			return usage(fmt.Errorf(format, c.Login))
		}
		return err
	})
}

func (c *accountsCreateCommand) create(ctx context.Context, std terminal, s *store.Store) error {
	if c.Link != "" {
		return c.invite(ctx, std, s)
	}
	password, stored, err := dashboard.NewPassword(ctx)
	if err != nil {
		return err
	}
	wanted := store.Account{Login: c.Login, Role: store.Role(c.Role), Password: stored}
	account, err := s.CreateAccount(ctx, operator(), wanted)
	if err != nil {
		return err
	}
	about := fmt.Sprintf("This is the password of %s, %s.\n", tty.Printable(account.Login), account.Role)
	return c.printPassword(std, account, password, about)
}

func (c *accountsCreateCommand) invite(ctx context.Context, std terminal, s *store.Store) error {
	link, made, err := dashboard.Invite(ctx, s, operator(), string(c.Link), store.Invitation{
		Login: c.Login, Role: store.Role(c.Role), Expires: time.Now().Add(time.Duration(c.Days) * 24 * time.Hour)})
	if err != nil {
		return err
	}
	if c.JSON {
		return newEncoder(std.out).Encode(invitationRecord{made.ID, made.Login, made.Role, link, made.Expires})
	}
	if _, err := fmt.Fprintln(std.out, link); err != nil {
		return fmt.Errorf("the link could not be printed: run the command again: %w", err)
	}
	const format = "Whoever opens this link first, until %s, gets an account as %s.\n"
	fmt.Fprintf(std.err, format, minuteOf(made.Expires), made.Role)
	return nil
}

// accountsRoleCommand is "rcpt accounts role".
type accountsRoleCommand struct {
	keysFlags
	Login string `arg:"" help:"The login of the account."`
	Role  string `arg:"" enum:"viewer,member,admin" help:"viewer, member or admin."`
}

// Run changes the role and prints the account.
func (c *accountsRoleCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		account, err := accountNamed(ctx, s, c.Login)
		if err != nil {
			return err
		}
		if err := s.SetRole(ctx, operator(), account.ID, store.Role(c.Role)); err != nil {
			return lastAdmin(err, c.Login)
		}
		account.Role = store.Role(c.Role)
		if c.JSON {
			return newEncoder(std.out).Encode(accountRecordOf(account))
		}
		const format = "%s is %s now, also in sessions that run.\n"
		_, err = fmt.Fprintf(std.out, format, tty.Printable(account.Login), account.Role)
		return err
	})
}

func lastAdmin(err error, login string) error {
	if errors.Is(err, store.ErrLastAdmin) {
		const format = "%s is the only admin, and there must be one: " +
			"make another one first, with rcpt accounts role"
		return fmt.Errorf(format, login)
	}
	return err
}

// accountsRemoveCommand is "rcpt accounts remove".
type accountsRemoveCommand struct {
	keysFlags
	KeysTo     string `env:"-" xor:"keys" placeholder:"LOGIN" help:"Give its keys to this admin. They go on working, and see the same lists as before."`
	RevokeKeys bool   `env:"-" xor:"keys" help:"Revoke its keys. Their lists are paused."`
	Login      string `arg:"" help:"The login of the account."`
}

// Run removes an account. What becomes of its keys must be said.
func (c *accountsRemoveCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		account, err := accountNamed(ctx, s, c.Login)
		if err != nil {
			return err
		}
		heir := store.Account{}
		if c.KeysTo != "" {
			if heir, err = accountNamed(ctx, s, c.KeysTo); err != nil {
				return err
			}
			if heir.Role != store.RoleAdmin || heir.ID == account.ID {
				return usage(fmt.Errorf("keys go to another account, of an admin, which %s is not", c.KeysTo))
			}
		}
		if err := c.saysWhat(ctx, s, account); err != nil {
			return err
		}
		if err := s.RemoveAccount(ctx, operator(), account.ID, heir.ID); err != nil {
			return lastAdmin(err, c.Login)
		}
		if c.JSON {
			return newEncoder(std.out).Encode(accountRecordOf(account))
		}
		_, err = fmt.Fprintf(std.out, "%s is removed. All sessions have ended.\n", tty.Printable(account.Login))
		return err
	})
}

// saysWhat returns an error if the account has keys and no flag says what
// becomes of them.
func (c *accountsRemoveCommand) saysWhat(ctx context.Context, s *store.Store, account store.Account) error {
	keys, err := s.Keys(ctx)
	if err != nil || c.KeysTo != "" || c.RevokeKeys {
		return err
	}
	usable := 0
	for _, key := range keys {
		if key.Account == account.ID && key.Usable(time.Now()) {
			usable++
		}
	}
	if usable > 0 {
		const format = "%s has keys that can be used (%d): add --keys-to LOGIN or --revoke-keys"
		return usage(fmt.Errorf(format, c.Login, usable))
	}
	return nil
}
