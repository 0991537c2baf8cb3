package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const opBackup = "back up"

// Backup writes the state at one moment to a new file, while everything goes
// on; see the function [Backup].
func (s *Store) Backup(ctx context.Context, file string) error {
	if s.db.file == "" {
		return notEmbedded()
	}
	if err := s.Flush(ctx); err != nil {
		return err
	}
	return s.db.backup(ctx, file, false)
}

// Backup writes the contents of the data folder at one moment to a new file. A
// process of this or an earlier version may be using the folder: it is not
// disturbed, and the schema stays as it is. The file is an embedded database
// itself: as rcpt.db in a data folder that no process uses, without -wal and
// -shm files beside it, it restores the state. For PostgreSQL the error names
// pg_dump. [ErrExists]: the file exists. [ErrNotFound]: there is no database.
func Backup(ctx context.Context, o Options, file string) error { return backup(ctx, o, file, false) }

// BackupOver is [Backup] to a file that may exist, if it is a backup: it is
// replaced when the new one is complete.
func BackupOver(ctx context.Context, o Options, file string) error { return backup(ctx, o, file, true) }

func backup(ctx context.Context, o Options, file string, over bool) error {
	if o.DatabaseURL != "" {
		return notEmbedded()
	}
	folder, err := filepath.Abs(o.DataDir)
	if err != nil {
		return &Error{opBackup, nil, err}
	}
	if err := there(folder); err != nil {
		return &Error{opBackup, kindOfMissing(err), err}
	}
	path := filepath.Join(folder, databaseName)
	return (&database{dialect: sqliteDialect, where: path, file: path}).backup(ctx, file, over)
}

func notEmbedded() error {
	return &Error{
		opBackup, ErrInvalid,
		errors.New("the state is in PostgreSQL: back it up with pg_dump, which takes the same address of the database"),
	}
}

// backup makes the file under a name of its own until it is whole.
func (db *database) backup(ctx context.Context, file string, over bool) error {
	switch _, err := os.Lstat(file); {
	case err == nil && !over:
		return &Error{opBackup, ErrExists, fmt.Errorf("%s %w: name another file, or use --overwrite", file, ErrExists)}
	case err == nil && !db.isBackup(file):
		return &Error{opBackup, ErrExists, fmt.Errorf("%s %w, and is no backup: name another file", file, ErrExists)}
	}
	folder, err := os.MkdirTemp(filepath.Dir(file), ".rcpt-backup-")
	if err != nil {
		return &Error{opBackup, kindOfFile(err), fmt.Errorf("the backup cannot be written: %w", err)}
	}
	defer os.RemoveAll(folder)
	part := filepath.Join(folder, databaseName)
	if err := db.copyTo(ctx, part); err != nil {
		return (&database{dialect: db.dialect, where: file}).failed(opBackup, err)
	}
	if err := publish(part, file, over); err != nil {
		return &Error{opBackup, kindOfFile(err), fmt.Errorf("the backup cannot be written: %w", err)}
	}
	return nil
}

// copyTo has SQLite write a compact copy, through a connection that only reads.
func (db *database) copyTo(ctx context.Context, file string) error {
	if err := os.WriteFile(file, nil, fileMode); err != nil { // SQLite takes an empty file over with its mode
		return err
	}
	source, err := sql.Open("sqlite", sqliteName(db.file))
	if err != nil {
		return err
	}
	defer source.Close()
	_, err = source.ExecContext(ctx, `VACUUM INTO $1`, file)
	return err
}

// isBackup reports whether a file is an embedded database that nobody uses.
func (db *database) isBackup(file string) bool {
	const magic = "SQLite format 3\x00"
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if own, err := os.Stat(db.file); err != nil || os.SameFile(info, own) {
		return false
	}
	if _, err := os.Stat(file + "-wal"); err == nil {
		return false
	}
	opened, err := os.Open(file)
	if err != nil {
		return false
	}
	defer opened.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(opened, head)
	return err == nil && string(head) == magic
}

// publish gives a complete file its name and makes it survive a power cut.
func publish(part, file string, over bool) error {
	if err := synced(os.OpenFile(part, os.O_RDWR, 0)); err != nil {
		return err
	}
	var err error
	if !over {
		err = os.Link(part, file) // unlike a renaming, it overwrites nothing; some disks cannot do it
	}
	if over || err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(part, file)
	}
	_ = synced(os.Open(filepath.Dir(file))) // some systems cannot
	return err
}

func synced(file *os.File, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
