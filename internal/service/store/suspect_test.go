//go:build unix

package store

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptiedDatabase opens a folder whose database has lost its contents.
func TestEmptiedDatabase(t *testing.T) {
	o := sqliteEngine.empty(t)
	file := filepath.Join(o.DataDir, databaseName)
	check(t, os.WriteFile(file, nil, fileMode)) // a new one, as far as anybody can tell
	s, err := Open(t.Context(), o)
	check(t, err)
	key := someKey(t, s, "secret")
	check(t, s.Close())
	whole, err := os.ReadFile(file)
	check(t, err)

	check(t, os.Truncate(file, 0))
	lock := filepath.Join(o.DataDir, lockName)
	_, err = Open(t.Context(), o)
	wantRefusal(t, err, lockName)
	check(t, os.Rename(lock, file+"-wal"))
	_, err = Open(t.Context(), o)
	wantRefusal(t, err, databaseName+"-wal")
	check(t, os.Remove(file+"-wal"))
	check(t, os.WriteFile(file, whole, fileMode))
	if _, err := open(t, o).Key(t.Context(), key.ID); err != nil {
		t.Error(err)
	}
}

func wantRefusal(t *testing.T, err error, sign string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), sign+" says") || !strings.Contains(err.Error(), "backup") {
		t.Errorf("an empty database beside %s: %v", sign, err)
	}
}

// TestDatabaseIsDeletedInUse checks that a server whose files were deleted or
// replaced is not ready.
func TestDatabaseIsDeletedInUse(t *testing.T) {
	o := sqliteEngine.empty(t)
	s := open(t, o)
	check(t, s.Ping(t.Context()))
	file := filepath.Join(o.DataDir, databaseName)
	check(t, os.Rename(file, file+".away"))
	wantError(t, s.Ping(t.Context()), ErrUnavailable)
	check(t, os.WriteFile(file, nil, fileMode))
	wantError(t, s.Ping(t.Context()), ErrUnavailable)
	check(t, os.Rename(file+".away", file))
	check(t, s.Ping(t.Context()))
}

// TestFolderOfOthers checks that the log says so when other users may replace
// the database.
func TestFolderOfOthers(t *testing.T) {
	for mode, warned := range map[os.FileMode]bool{0o777: true, 0o770: true, 0o755: false, 0o700: false, 0o777 | os.ModeSticky: false} {
		var log bytes.Buffer
		folder := t.TempDir()
		check(t, os.Chmod(folder, mode))
		s, err := Open(t.Context(), Options{DataDir: folder, Log: slog.New(slog.NewTextHandler(&log, nil))})
		check(t, err)
		check(t, s.Close())
		if got := strings.Contains(log.String(), "other users may write"); got != warned {
			t.Errorf("%v: %s", mode, log.String())
		}
	}
}

// TestDamagedPage damages a page that opening the database does not read.
func TestDamagedPage(t *testing.T) {
	o := sqliteEngine.empty(t)
	s := open(t, o)
	for i := range 3000 {
		s.PutVerdict(strings.Repeat("x", i), Verdict{Result: bytes.Repeat([]byte("{}"), 100), Expires: newClock().Now().AddDate(1, 0, 0)})
		if i%500 == 0 { // Close gives up on what takes long
			check(t, s.Flush(t.Context()))
		}
	}
	check(t, s.Close())
	file := filepath.Join(o.DataDir, databaseName)
	whole, err := os.ReadFile(file)
	check(t, err)

	for _, damaged := range []bool{false, true} {
		if damaged {
			copy(whole[len(whole)-8*4096:], bytes.Repeat([]byte{0xff}, 4096))
			check(t, os.WriteFile(file, whole, fileMode))
		}
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s = open(t, o)
		s.checkPages(context.Background()) // the check in the background may not have ended
		check(t, s.Close())
		if got := strings.Contains(log.String(), "backup"); got != damaged {
			t.Errorf("damaged %v: %s", damaged, log.String())
		}
	}
}
