package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
)

func TestUserData(t *testing.T) {
	root, err := filepath.Abs("/")
	check(t, err)
	home := filepath.Join(root, "home", "ann")
	for _, c := range []struct {
		name, system string
		variables    map[string]string
		want         string
	}{
		{"Linux", "linux", map[string]string{"HOME": home}, filepath.Join(home, ".local", "share", "rcpt")},
		{"XDG", "linux", map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(root, "data")}, filepath.Join(root, "data", "rcpt")},
		{"relative XDG", "freebsd", map[string]string{"HOME": home, "XDG_DATA_HOME": "data"}, filepath.Join(home, ".local", "share", "rcpt")},
		{"no home", "linux", nil, ""},
		{"macOS", "darwin", map[string]string{"HOME": home, "XDG_DATA_HOME": root}, filepath.Join(home, "Library", "Application Support", "rcpt")},
		{"macOS without home", "darwin", nil, ""},
		{"Windows", "windows", map[string]string{"HOME": root, "LocalAppData": home}, filepath.Join(home, "rcpt")},
		{"Windows without profile", "windows", map[string]string{"HOME": home}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := userData(c.system, func(name string) string { return c.variables[name] }); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// stateWithKey creates a data folder with a key in it.
func stateWithKey(t *testing.T) (*store.Store, dataFlag) {
	t.Helper()
	folder := t.TempDir()
	s := openState(t, store.Options{DataDir: folder})
	_, err := s.CreateKey(t.Context(), store.Key{Name: "first", Hash: store.HashOf("secret")})
	check(t, err)
	return s, dataFlag{Data: folder}
}

func openState(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func wantKey(t *testing.T, o store.Options) {
	t.Helper()
	keys, err := openState(t, o).Keys(t.Context())
	if err != nil || len(keys) != 1 || keys[0].Name != "first" || keys[0].Hash != store.HashOf("secret") {
		t.Errorf("%+v, %v", keys, err)
	}
}

// streams collects the output of a command.
func streams(t *testing.T) (std terminal, printed func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	check(t, err)
	t.Cleanup(func() { out.Close() })
	return terminal{out: out, err: out}, func() string {
		text, err := os.ReadFile(path)
		check(t, err)
		return string(text)
	}
}

func TestBackupWhileServing(t *testing.T) {
	_, folder := stateWithKey(t) // and it stays open, as a server has it
	std, printed := streams(t)
	restored := t.TempDir()
	command := backupCommand{dataFlag: folder, File: filepath.Join(restored, "rcpt.db")}
	check(t, command.Run(t.Context(), std))
	if !strings.Contains(printed(), command.File) {
		t.Error(printed())
	}
	wantKey(t, store.Options{DataDir: restored})
	if err := command.Run(t.Context(), std); !errors.Is(err, store.ErrExists) {
		t.Errorf("a second backup into the same file: %v", err)
	}
	command = backupCommand{databaseFlag: databaseFlag{"postgres://u@127.0.0.1:1/x"}, File: filepath.Join(restored, "other")}
	if err := command.Run(t.Context(), std); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("of PostgreSQL: %v", err)
	}
}
