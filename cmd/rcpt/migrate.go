package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/store"
)

// migrateCommand is "rcpt migrate".
type migrateCommand struct {
	dataFlag
	To string `required:"" placeholder:"URL" help:"The empty PostgreSQL database to copy to, as postgres://user:password@host/name."`
}

// Run copies the embedded database, which no server may be using, into one that is shared.
func (c *migrateCommand) Run(ctx context.Context, std terminal, logs *logFlags) (err error) {
	if err := isPostgres("--to", c.To); err != nil {
		return err
	}
	where, err := stateIn(c.dataFlag, databaseFlag{})
	if err != nil {
		return err
	}
	where.MustExist, where.Log = true, logs.logger(std.err, slog.LevelWarn)
	from, err := store.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := store.Open(ctx, store.Options{DatabaseURL: c.To, Log: where.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	copied, err := store.Copy(ctx, from, to)
	if err != nil {
		return err
	}
	return tellCopied(std.out, copied, where.DataDir)
}

func tellCopied(w io.Writer, copied []store.Copied, folder string) error {
	var text strings.Builder
	for _, table := range copied {
		fmt.Fprintf(&text, "%-12s  %d\n", table.Table, table.Rows)
	}
	fmt.Fprintf(&text, "Everything is copied. Start rcpt with --database or RCPT_DATABASE from now on. What is in %s is not used then, nor changed: "+
		"delete its rcpt.db when all is well.\n", folder)
	_, err := io.WriteString(w, text.String())
	return err
}
