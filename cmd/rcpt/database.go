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

	"github.com/rcpt/rcpt/store"
)

// databaseFlag names the database with the state of the service.
type databaseFlag struct {
	Database string `placeholder:"URL" help:"PostgreSQL database with keys, usage and the like, as postgres://user:password@host/name. Default: an embedded one in the data folder."`
}

// stateIn says where the state is kept: in the database, or else in the folder.
func stateIn(folder dataFlag, database databaseFlag) (store.Options, error) {
	if database.Database != "" {
		if err := isPostgres("--database", database.Database); err != nil {
			return store.Options{}, err
		}
		return store.Options{DatabaseURL: database.Database}, nil
	}
	dir := folder.folder()
	if dir == "" {
		return store.Options{}, usage(errors.New("there is no data folder: name one with --data"))
	}
	return store.Options{DataDir: dir}, nil
}

// isPostgres fails where address is none of PostgreSQL. The error does not show it, as there may be a password in it.
func isPostgres(flag, address string) error {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return nil
	}
	return usage(fmt.Errorf("%s is no PostgreSQL database: its address looks like postgres://user:password@host/name", flag))
}

// dataFlag is the folder for what is kept from run to run.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Folder for the database and newer lists. Default: rcpt in the user's data folder."`
}

// folder returns the folder; empty when none is named and the user has none.
func (f dataFlag) folder() string {
	if f.Data != "" {
		return f.Data
	}
	return userData(runtime.GOOS, os.Getenv)
}

// userData returns our folder where the operating system wants programs to keep a user's data; on Unix by the XDG Base Directory
// Specification, which has relative paths ignored.
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
	File string `arg:"" help:"The file to write. It must not exist yet."`
}

// Run writes the backup, whether a server uses the data folder or not.
func (c *backupCommand) Run(ctx context.Context, std terminal) error {
	where, err := stateIn(c.dataFlag, c.databaseFlag)
	if err != nil {
		return err
	}
	if err := store.Backup(ctx, where, c.File); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s is a backup of %s\n", c.File, where.DataDir)
	return err
}

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
