package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// emptied returns an error for a database file without contents in a folder
// that had a database: a crash, a full disk or a failed copy has emptied it. To
// SQLite it is a new database, so every key and account would be gone without
// a word. A file that is left by a first start which was killed is refused,
// too.
func emptied(folder string) error {
	path := filepath.Join(folder, databaseName)
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 {
		return nil // no file, or opening it tells what is wrong
	}
	for _, sign := range []string{lockName, databaseName + "-wal"} {
		if _, err := os.Stat(filepath.Join(folder, sign)); err == nil {
			return fmt.Errorf("%s is empty, and %s says that it was not: put a backup in its place, or delete %s and begin anew without keys",
				path, sign, path)
		}
	}
	return nil
}

// openToOthers returns an error for a folder that other users may write to:
// they could put another database in the place of ours. Windows has no such
// modes.
func openToOthers(folder string) error {
	const others = 0o022
	info, err := os.Stat(folder)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&others == 0 || info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	return fmt.Errorf("other users may write to the data folder %s and replace the database in it: chmod go-w %s",
		folder, folder)
}

// stillThere returns an error if the file that was opened is no longer the one
// of its name: it was deleted or replaced under the running process, which
// writes to a file that nobody will find again.
func (db *database) stillThere() error {
	if db.opened == nil {
		return nil
	}
	info, err := os.Stat(db.file)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(info, db.opened):
		return &Error{"look at the database", ErrUnavailable, fmt.Errorf("%s was deleted or replaced while it is in use: what is written now is lost; restart rcpt", db.file)}
	case err != nil:
		return db.failed("look at the database", err)
	}
	return nil
}

// checkPages reads the whole embedded database once, in the background, and
// logs damage that no query may meet for months.
func (s *Store) checkPages(ctx context.Context) {
	if s.db.file == "" || s.db.beside {
		return
	}
	findings, err := collect(ctx, s.db.reader, func(row scanner) (text string, err error) {
		err = row.Scan(&text)
		return text, err
	}, `PRAGMA quick_check(1)`)
	if ctx.Err() != nil || err == nil && len(findings) == 1 && findings[0] == "ok" {
		return
	}
	if err == nil {
		err = fmt.Errorf("%v", findings)
	}
	s.log.Error("the database is damaged: stop rcpt, move it and its -wal and -shm files away, and put a backup in its place",
		"database", s.db.where, "error", s.db.failed("check", err))
}
