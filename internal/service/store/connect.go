package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The embedded database and the lock of its folder. Only the user may access
// them.
const (
	databaseName = "rcpt.db"
	lockName     = "rcpt.lock"
	folderMode   = 0o700
	fileMode     = 0o600
)

const opOpen = "open"

// connect opens the engine that the options name.
func connect(ctx context.Context, o Options) (*database, error) {
	if o.DatabaseURL != "" {
		db, err := openPostgres(o.DatabaseURL)
		if err != nil {
			return nil, &Error{opOpen, ErrInvalid, err}
		}
		return db, nil
	}
	if o.DataDir == "" {
		return nil, &Error{opOpen, ErrInvalid, errors.New("no data folder is known: name one, or a database")}
	}
	return connectFolder(ctx, o)
}

func connectFolder(ctx context.Context, o Options) (*database, error) {
	folder, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, &Error{opOpen, nil, err}
	}
	if o.MustExist {
		if err := there(folder); err != nil {
			return nil, &Error{opOpen, kindOfMissing(err), err}
		}
	}
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return nil, &Error{opOpen, kindOfFile(err), fmt.Errorf("the data folder cannot be made: %w", err)}
	}
	if err := emptied(folder); err != nil {
		return nil, &Error{opOpen, nil, err}
	}
	if err := openToOthers(folder); err != nil && o.Log != nil {
		o.Log.Warn("the data folder is not safe", "error", err)
	}
	wait := lockTimeout
	if o.Beside {
		wait = 0
	}
	lock, err := lockFolder(ctx, folder, wait)
	if errors.Is(err, ErrLocked) && o.Beside {
		lock, err = nil, nil
	}
	if err != nil {
		return nil, &Error{opOpen, kindOfLock(err), err}
	}
	db, err := openFile(filepath.Join(folder, databaseName))
	if err != nil {
		_ = lock.release()
		return nil, &Error{opOpen, kindOfFile(err), err}
	}
	db.lock = lock
	db.beside = o.Beside && lock == nil
	return db, nil
}

// Exists reports whether the options name a place with an existing state: a
// data folder with a database, as far as we may see it, or any PostgreSQL.
func Exists(o Options) bool {
	return o.DatabaseURL != "" || there(o.DataDir) == nil
}

// there returns an error if the folder has no database.
func there(folder string) error {
	_, err := os.Stat(filepath.Join(folder, databaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the folder %s has no database (%s)", ErrNotFound, folder, databaseName)
	}
	return err
}

func kindOfMissing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotFound
	}
	return kindOfFile(err)
}

func kindOfLock(err error) error {
	if errors.Is(err, ErrLocked) {
		return ErrLocked
	}
	return kindOfFile(err)
}

// openFile sets the mode of the database, which SQLite applies to the files
// beside it, and opens it.
func openFile(path string) (*database, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("the database belongs to another user, give it to that of its folder with chown --reference=%s %s: %w",
			filepath.Dir(path), path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the database cannot be opened: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.Mode().Perm()&^fs.FileMode(fileMode) != 0 {
		err = file.Chmod(fileMode)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	db, err := openSQLite(path)
	if err == nil {
		db.opened = info
	}
	return db, err
}
