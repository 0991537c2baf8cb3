package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
)

// stateWithKey creates a data folder with a key in it.
func stateWithKey(t *testing.T) (*store.Store, settings.DataFlag) {
	t.Helper()
	folder := t.TempDir()
	s := openState(t, store.Options{DataDir: folder})
	_, err := s.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "first", Hash: store.HashOf("secret")})
	check(t, err)
	return s, settings.DataFlag{Data: folder}
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
	command := backupCommand{DataFlag: folder, File: filepath.Join(restored, "rcpt.db")}
	check(t, command.Run(t.Context(), std))
	if !strings.Contains(printed(), command.File) {
		t.Error(printed())
	}
	wantKey(t, store.Options{DataDir: restored})
	if err := command.Run(t.Context(), std); !errors.Is(err, store.ErrExists) {
		t.Errorf("a second backup into the same file: %v", err)
	}
	command = backupCommand{DatabaseFlag: settings.DatabaseFlag{Database: "postgres://u@127.0.0.1:1/x"}, File: filepath.Join(restored, "other")}
	if err := command.Run(t.Context(), std); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("of PostgreSQL: %v", err)
	}
}
