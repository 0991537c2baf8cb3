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
	List  accountsListCommand  `cmd:"" help:"List the accounts that may sign in to the dashboard."`
	Reset accountsResetCommand `cmd:"" help:"Set a new password for an account, print it and end the account's sessions."`
}

// accountRecord is an account as JSON.
type accountRecord struct {
	ID       string    `json:"id"`
	Login    string    `json:"login"`
	Password string    `json:"password,omitempty"` // only when it is new
	Created  time.Time `json:"created"`
}

var accountListing = listing[store.Account]{
	none: "There are no accounts. A server prints a link to create the first one.\n",
	head: "ID\tLOGIN\tCREATED\n",
	row: func(a store.Account) string {
		return fmt.Sprintf("%s\t%s\t%s\n", a.ID, tty.Printable(a.Login), minuteOf(a.Created))
	},
	record: func(a store.Account) any { return accountRecord{ID: a.ID, Login: a.Login, Created: a.Created} },
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

// accountsResetCommand is "rcpt accounts reset".
type accountsResetCommand struct {
	keysFlags
	Login string `arg:"" help:"The login of the account."`
}

// Run sets a random password and prints it, with nothing else on standard
// output.
func (c *accountsResetCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		account, err := s.AccountByLogin(ctx, c.Login)
		if errors.Is(err, store.ErrNotFound) {
			const format = "there is no account %q here: see rcpt accounts list, and check --data or --database"
			return usage(fmt.Errorf(format, c.Login))
		}
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
		if c.JSON {
			return newEncoder(std.out).Encode(accountRecord{account.ID, account.Login, password, account.Created})
		}
		if _, err := fmt.Fprintln(std.out, password); err != nil {
			return fmt.Errorf("the new password could not be printed: run the command again: %w", err)
		}
		const format = "This is the new password of %s. All sessions have ended.\n" +
			"Sign in with it and choose another one under Account.\n"
		fmt.Fprintf(std.err, format, tty.Printable(account.Login))
		return nil
	})
}
