package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes the state of one moment to a new file, while everything goes on. The file is an embedded database in itself: put in the place
// of rcpt.db in a data folder that no process uses, without -wal and -shm files beside it, it is the state again. For PostgreSQL it is an
// error that names pg_dump. [ErrExists]: there is such a file.
func (s *Store) Backup(ctx context.Context, file string) error {
	const op = "back up"
	if s.db.file == "" {
		return &Error{op, ErrInvalid, errors.New("the state is in PostgreSQL: back it up with pg_dump, which takes the same address of the database")}
	}
	if _, err := os.Lstat(file); err == nil {
		return &Error{op, ErrExists, fmt.Errorf("%s %w: name another file, or delete it", file, ErrExists)}
	}
	if err := s.Flush(ctx); err != nil {
		return err
	}
	// Under a name of its own until it is whole.
	folder, err := os.MkdirTemp(filepath.Dir(file), ".rcpt-backup-")
	if err != nil {
		return &Error{op, kindOfFile(err), fmt.Errorf("the backup cannot be written: %w", err)}
	}
	defer os.RemoveAll(folder)
	part := filepath.Join(folder, databaseName)
	if err := s.db.copyTo(ctx, part); err != nil {
		return s.db.failed(op, err)
	}
	if err := publish(part, file); err != nil {
		return &Error{op, kindOfFile(err), fmt.Errorf("the backup cannot be written: %w", err)}
	}
	return nil
}

// copyTo has SQLite write a copy without the gaps, through a connection that only reads.
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

// publish makes a file that is complete appear under its name, and survive a power cut.
func publish(part, file string) error {
	if err := syncFile(part); err != nil {
		return err
	}
	if err := os.Link(part, file); err != nil { // unlike a renaming, it overwrites nothing
		return err
	}
	return syncFile(filepath.Dir(file))
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
