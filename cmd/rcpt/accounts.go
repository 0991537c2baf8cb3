package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// accountsCommand is "rcpt accounts".
type accountsCommand struct {
	List   accountsListCommand   `cmd:"" help:"List the accounts that may sign in to the dashboard."`
	Create accountsCreateCommand `cmd:"" help:"Create an account and print its password, or a link with which somebody creates it."`
	Role   accountsRoleCommand   `cmd:"" help:"Change what an account may do, at once."`
	Remove accountsRemoveCommand `cmd:"" help:"Remove an account and end its sessions."`
	Reset  accountsResetCommand  `cmd:"" help:"Set a new password for an account, print it and end the account's sessions."`
}

// accountRecord is an account as JSON.
type accountRecord struct {
	ID       string     `json:"id"`
	Login    string     `json:"login"`
	Role     store.Role `json:"role"`
	Password string     `json:"password,omitempty"` // only when it is new
	Created  time.Time  `json:"created"`
}

func accountRecordOf(a store.Account) accountRecord {
	return accountRecord{ID: a.ID, Login: a.Login, Role: a.Role, Created: a.Created}
}

const accountRow = "%s\t%s\t%s\t%s\n"

var accountListing = listing[store.Account]{
	none: "There are no accounts. A server prints a link to create the first one.\n",
	head: fmt.Sprintf(accountRow, "ID", "LOGIN", "ROLE", "CREATED"),
	row: func(a store.Account) string {
		return fmt.Sprintf(accountRow, a.ID, tty.Printable(a.Login), a.Role, minuteOf(a.Created))
	},
	record: func(a store.Account) any { return accountRecordOf(a) },
}

// accountsListCommand is "rcpt accounts list".
type accountsListCommand struct{ keysFlags }

// Run prints the accounts, the oldest first.
func (c *accountsListCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		accounts, err := s.Accounts(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		if err := accountListing.print(table, c.JSON, accounts); err != nil {
			return err
		}
		return table.Flush()
	})
}

// accountNamed returns the account with the login.
func accountNamed(ctx context.Context, s *store.Store, login string) (store.Account, error) {
	account, err := s.AccountByLogin(ctx, login)
	if errors.Is(err, store.ErrNotFound) {
		const format = "there is no account %q here: see rcpt accounts list, and check --data or --database"
		return account, usage(fmt.Errorf(format, login))
	}
	return account, err
}

// accountsResetCommand is "rcpt accounts reset".
type accountsResetCommand struct {
	keysFlags
	Login string `arg:"" help:"The login of the account."`
}

// Run sets a random password and prints it, with nothing else on standard
// output.
func (c *accountsResetCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		account, err := accountNamed(ctx, s, c.Login)
		if err != nil {
			return err
		}
		password, stored, err := dashboard.NewPassword(ctx)
		if err != nil {
			return err
		}
		if err := s.SetPassword(ctx, operator(), account.ID, stored); err != nil {
			return err
		}
		const format = "This is the new password of %s. All sessions have ended.\n"
		return c.printPassword(std, account, password, fmt.Sprintf(format, tty.Printable(account.Login)))
	})
}

// printPassword prints a password, with nothing else on standard output.
func (c keysFlags) printPassword(std terminal, account store.Account, password, about string) error {
	if c.JSON {
		record := accountRecordOf(account)
		record.Password = password
		return newEncoder(std.out).Encode(record)
	}
	if _, err := fmt.Fprintln(std.out, password); err != nil {
		return fmt.Errorf("the password could not be printed: run rcpt accounts reset: %w", err)
	}
	fmt.Fprint(std.err, about+"Sign in with it and choose another one under Account.\n")
	return nil
}
