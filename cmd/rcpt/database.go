package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
)

// errNoDatabase is the error of a data folder without a database.
var errNoDatabase = errors.New("has no database (rcpt.db)")

// systemdData is the data folder of deploy/systemd/rcpt.service.
const systemdData = "/var/lib/rcpt"

// databaseError is the error of opening or copying a database. If there is no
// database, it says how to name the right folder.
func databaseError(err error, where store.Options) error {
	if !where.MustExist || !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%s %w: name the folder of the server with --data DIR or RCPT_DATA (%s under systemd), "+
		"or run this command in its container (docker exec)", where.DataDir, errNoDatabase, systemdData)
}

// backupCommand is "rcpt backup".
type backupCommand struct {
	settings.DataFlag
	settings.DatabaseFlag
	Overwrite bool   `env:"-" help:"Replace the file, if it is a backup, when the new one is complete."`
	File      string `arg:"" help:"The file to write. Without --overwrite it must not exist yet."`
}

// Run writes the backup. A server may be using the data folder.
func (c *backupCommand) Run(ctx context.Context, std terminal) error {
	where, err := settings.StateIn(c.DataFlag, c.DatabaseFlag)
	if err != nil {
		return err
	}
	where.MustExist = true
	write := store.Backup
	if c.Overwrite {
		write = store.BackupOver
	}
	if err := write(ctx, where, c.File); err != nil {
		return databaseError(err, where)
	}
	_, err = fmt.Fprintf(std.out, "%s is a backup of %s\n", c.File, where.DataDir)
	return err
}

// migrateCommand is "rcpt migrate".
type migrateCommand struct {
	settings.DataFlag
	To string `required:"" placeholder:"URL" help:"The empty PostgreSQL database to copy to, as postgres://user:password@host/name."`
}

// Run copies the embedded database into a shared one. No server may be using
// it.
func (c *migrateCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) (err error) {
	if err := settings.IsPostgres("--to", c.To); err != nil {
		return err
	}
	where, err := settings.StateIn(c.DataFlag, settings.DatabaseFlag{})
	if err != nil {
		return err
	}
	where.MustExist, where.Log = true, logs.Logger(std.err, slog.LevelWarn)
	from, err := store.Open(ctx, where)
	if err != nil {
		return databaseError(err, where)
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
	return printCopied(std.out, copied, where.DataDir)
}

func printCopied(w io.Writer, copied []store.Copied, folder string) error {
	var text strings.Builder
	for _, table := range copied {
		fmt.Fprintf(&text, "%-12s  %d\n", table.Table, table.Rows)
	}
	fmt.Fprintf(&text, "Everything is copied. From now on start rcpt with --database or RCPT_DATABASE.\n"+
		"The embedded database in %s is unchanged: delete its rcpt.db when everything works.\n", folder)
	_, err := io.WriteString(w, text.String())
	return err
}
