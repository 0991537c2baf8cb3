package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store"
)

// databaseFlag names the database of the service.
type databaseFlag struct {
	Database string `placeholder:"URL" help:"PostgreSQL database for keys, usage and other state, as postgres://user:password@host/name. Default: an embedded one in the data folder."`
}

// stateIn returns where the state is kept: in the database if one is named,
// else in the folder.
func stateIn(folder dataFlag, database databaseFlag) (store.Options, error) {
	if database.Database != "" {
		if err := isPostgres("--database", database.Database); err != nil {
			return store.Options{}, err
		}
		return store.Options{DatabaseURL: database.Database}, nil
	}
	dir := folder.folder()
	if dir == "" {
		return store.Options{}, usage(errors.New("there is no data folder: name one with --data DIR"))
	}
	return store.Options{DataDir: dir}, nil
}

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

// isPostgres fails if address is not a PostgreSQL URL. The error does not show
// it, because it may contain a password.
func isPostgres(flag, address string) error {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return nil
	}
	return usage(fmt.Errorf("%s is not a PostgreSQL database: write postgres://user:password@host/name", flag))
}

// dataFlag is the folder for the state that is kept from run to run.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Folder for the database and newer lists. Default: rcpt in the user's data folder."`
}

// folder returns the folder, or "" if none is named and the user has none.
func (f dataFlag) folder() string {
	if f.Data != "" {
		return f.Data
	}
	return userData(runtime.GOOS, os.Getenv)
}

// userData returns our folder for a user's data by the rules of the operating
// system. On Unix these are the XDG Base Directory Specification, which ignores
// relative paths.
func userData(system string, getenv func(string) string) string {
	home := getenv("HOME")
	var base string
	switch system {
	case "windows":
		base = getenv("LocalAppData")
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		if base = getenv("XDG_DATA_HOME"); !filepath.IsAbs(base) {
			base = filepath.Join(home, ".local", "share")
		}
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "rcpt")
}

// backupCommand is "rcpt backup".
type backupCommand struct {
	dataFlag
	databaseFlag
	Overwrite bool   `env:"-" help:"Replace the file, if it is a backup, when the new one is complete."`
	File      string `arg:"" help:"The file to write. Without --overwrite it must not exist yet."`
}

// Run writes the backup. A server may be using the data folder.
func (c *backupCommand) Run(ctx context.Context, std terminal) error {
	where, err := stateIn(c.dataFlag, c.databaseFlag)
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
	dataFlag
	To string `required:"" placeholder:"URL" help:"The empty PostgreSQL database to copy to, as postgres://user:password@host/name."`
}

// Run copies the embedded database into a shared one. No server may be using
// it.
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
