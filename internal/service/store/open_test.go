//go:build unix

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFolderIsLocked(t *testing.T) {
	o := sqliteEngine.empty(t)
	first := open(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a start that is cancelled while it waits: %v", err)
	}
	_, err := Open(t.Context(), o)
	wantError(t, err, ErrLocked)
	if !strings.Contains(err.Error(), o.DataDir) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("the error names neither folder nor process: %v", err)
	}

	beside := o
	beside.Beside = true
	command := open(t, beside)
	someKey(t, command, "made beside")
	keys, err := first.Keys(t.Context())
	check(t, err)
	if len(keys) != 1 {
		t.Errorf("the process with the lock sees %d keys", len(keys))
	}
	check(t, command.Close())
	check(t, first.Close())
	check(t, open(t, beside).Close()) // nobody to be beside
	open(t, o)
}

// TestDurability: what was committed survives a power cut, which no test can
// make, and what was deleted is gone from the file.
func TestDurability(t *testing.T) {
	s := open(t, sqliteEngine.empty(t))
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "secure_delete": "1", "foreign_keys": "1"} {
		var got string
		check(t, s.db.writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
}

// TestRestart opens a folder whose last user is about to end.
func TestRestart(t *testing.T) {
	o := sqliteEngine.empty(t)
	check(t, os.MkdirAll(o.DataDir, 0o700))
	last, err := lockFolder(t.Context(), o.DataDir, 0) // to close a store may take longer than Open waits
	check(t, err)
	time.AfterFunc(100*time.Millisecond, func() { _ = last.release() })
	open(t, o)
}

func TestModes(t *testing.T) {
	o := Options{DataDir: filepath.Join(t.TempDir(), "new", "folder with ? and # and %41")}
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := open(t, o)
	someKey(t, s, "secret")
	info, err := os.Stat(o.DataDir)
	check(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v", info.Mode())
	}
	files, err := os.ReadDir(o.DataDir)
	check(t, err)
	var names []string
	for _, file := range files {
		info, err := file.Info()
		check(t, err)
		names = append(names, file.Name())
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", file.Name(), info.Mode())
		}
	}
	if diff := cmp.Diff([]string{"rcpt.db", "rcpt.db-shm", "rcpt.db-wal", "rcpt.lock"}, names); diff != "" {
		t.Error(diff)
	}
	check(t, s.Close())
	check(t, os.Chmod(filepath.Join(o.DataDir, databaseName), 0o644))
	open(t, o)
	info, err = os.Stat(filepath.Join(o.DataDir, databaseName))
	check(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("a database that others could read: %v", info.Mode())
	}
}

func TestSchemaTooNew(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		_, err := s.db.writer.ExecContext(t.Context(), `INSERT INTO migrations (number, name, applied) VALUES (99, 'x', 0)`)
		check(t, err)
		beside := o
		beside.Beside = true
		_, err = Open(t.Context(), beside)
		wantError(t, err, ErrSchemaTooNew)
		check(t, s.Close())
		_, err = Open(t.Context(), o)
		wantError(t, err, ErrSchemaTooNew)
		if !strings.Contains(err.Error(), "99") {
			t.Errorf("the error does not tell the schema: %v", err)
		}
	})
}

// TestBesideAnEarlierVersion does not change the schema of a process that runs.
func TestBesideAnEarlierVersion(t *testing.T) {
	o := sqliteEngine.empty(t)
	s := open(t, o)
	_, err := s.db.writer.ExecContext(t.Context(), `DELETE FROM migrations WHERE number > 1`)
	check(t, err)
	o.Beside = true
	_, err = Open(t.Context(), o)
	wantError(t, err, ErrLocked)
	if !strings.Contains(err.Error(), "restart") {
		t.Error(err)
	}
}

func TestMigrationsOfManyAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		steps := []migration{
			{1, "0001", `CREATE TABLE first (a BIGINT); INSERT INTO first VALUES (1)`},
			{2, "0002", `CREATE TABLE second (a BIGINT); INSERT INTO first VALUES (2)`},
			{3, "0003", `INSERT INTO second VALUES (3)`},
		}
		nodes := make([]*database, 5)
		for i := range nodes {
			var err error
			if nodes[i], err = engineOf(o); err != nil {
				t.Fatal(err)
			}
			defer nodes[i].close()
			// SQLite may refuse a connection while another turns on the log of
			// a new file. The lock of the data folder prevents that.
			check(t, nodes[i].writer.PingContext(t.Context()))
		}
		noErrors(t, together(len(nodes), func(i int) error { return nodes[i].migrateTo(t.Context(), steps, time.Now()) }))
		var first, second, done int
		check(t, nodes[0].reader.QueryRowContext(t.Context(),
			`SELECT (SELECT COUNT(*) FROM first), (SELECT COUNT(*) FROM second), (SELECT COUNT(*) FROM migrations)`).Scan(&first, &second, &done))
		if first != 2 || second != 1 || done != 3 {
			t.Errorf("%d rows, %d rows, %d steps", first, second, done)
		}
	})
}

// engineOf opens an engine without the store around it.
func engineOf(o Options) (*database, error) {
	if o.DatabaseURL != "" {
		return openPostgres(o.DatabaseURL)
	}
	return openSQLite(filepath.Join(o.DataDir, databaseName))
}

func TestFailedMigrationLeavesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		db, err := engineOf(o)
		check(t, err)
		defer db.close()
		err = db.migrateTo(t.Context(), []migration{{1, "0001_broken", `CREATE TABLE first (a BIGINT); INSERT INTO nowhere VALUES (1)`}}, time.Now())
		if err == nil || !strings.Contains(err.Error(), "0001_broken") {
			t.Errorf("the error does not name the migration: %v", err)
		}
		check(t, db.migrateTo(t.Context(), []migration{{1, "0001", `CREATE TABLE first (a BIGINT)`}}, time.Now()))
	})
}

// TestOpenTogether starts several nodes on one empty database.
func TestOpenTogether(t *testing.T) {
	o := postgresEngine.empty(t)
	nodes := make([]*Store, 4)
	noErrors(t, together(len(nodes), func(i int) (err error) {
		nodes[i], err = Open(t.Context(), o)
		return err
	}))
	for _, node := range nodes {
		if node.addressHash("a") != nodes[0].addressHash("a") || !bytes.Equal(node.Secret("a"), nodes[0].Secret("a")) {
			t.Error("two nodes have different salts")
		}
		check(t, node.Close())
	}
	elsewhere := open(t, sqliteEngine.empty(t))
	if elsewhere.addressHash("a") == nodes[0].addressHash("a") || bytes.Equal(elsewhere.Secret("a"), nodes[0].Secret("a")) {
		t.Error("two installations have the same salt")
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	for name, c := range map[string]struct {
		o    Options
		kind error
		says string
	}{
		"nothing":    {Options{}, ErrInvalid, "data folder"},
		"no address": {Options{DatabaseURL: "mysql://x:secret@y/z"}, ErrInvalid, "postgres://"},
		"a file":     {Options{DataDir: file}, syscall.ENOTDIR, "data folder"},
		"no server":  {Options{DatabaseURL: "postgres://u:secret@127.0.0.1:1/x"}, ErrUnavailable, "running and reachable"},
		"silence":    {Options{DatabaseURL: "postgres://u:secret@" + silence(t) + "/x?connect_timeout=1&sslmode=disable"}, ErrUnavailable, "running and reachable"},
	} {
		_, err := Open(t.Context(), c.o)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// silence is the address of a server that takes connections and never says a
// word.
func silence(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the backlog takes them
	check(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func TestDamagedFile(t *testing.T) {
	o := sqliteEngine.empty(t)
	check(t, os.WriteFile(filepath.Join(o.DataDir, databaseName), []byte(strings.Repeat("no database ", 1000)), 0o600))
	_, err := Open(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "backup") || !strings.Contains(err.Error(), databaseName) {
		t.Errorf("%v", err)
	}
	if isKind(err, ErrUnavailable) {
		t.Error("trying again does not mend a file")
	}
}
