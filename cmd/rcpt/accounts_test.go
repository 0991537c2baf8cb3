package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestResetAccount: the printed password is the account's, and its sessions
// have ended.
func TestResetAccount(t *testing.T) {
	folder := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{DataDir: folder})
	check(t, err)
	defer s.Close()
	account, err := s.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: "ada@acme.example", Role: store.RoleAdmin, Password: "forgotten"})
	check(t, err)
	check(t, s.CreateSession(t.Context(), store.ByCommand("test"), store.Session{Hash: store.HashOf("cookie"), Account: account.ID, Expires: time.Now().Add(time.Hour)}))
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	check(t, err)
	defer out.Close()
	flags := keysFlags{DataFlag: settings.DataFlag{Data: folder}}
	check(t, (&accountsResetCommand{keysFlags: flags, Login: "Ada@acme.example"}).Run(t.Context(), terminal{out: out, err: os.Stderr}, &settings.LogFlags{}))
	text, err := os.ReadFile(out.Name())
	check(t, err)
	password := strings.TrimSpace(string(text))
	changed, err := s.Account(t.Context(), account.ID)
	check(t, err)
	if len(password) < 20 || !strings.HasPrefix(changed.Password, "$argon2id$") || strings.Contains(changed.Password, password) {
		t.Errorf("%q is stored as %q", password, changed.Password)
	}
	if _, _, err := s.Session(t.Context(), store.HashOf("cookie")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a session goes on: %v", err)
	}
}
