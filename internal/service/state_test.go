package service

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// check ends a test at an error.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openStore(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// opened opens the state of a server with a fixed key, in a data folder that
// the operator did not name.
func opened(t *testing.T, folder string, key Key) (*state, error) {
	t.Helper()
	s, err := openState(t.Context(), Config{
		Engine: engine.Config{Logger: slog.New(slog.DiscardHandler)},
		Store:  store.Options{DataDir: folder}, StoreOptional: true, Folder: folder, Key: key,
	})
	if err == nil {
		t.Cleanup(func() { _ = s.close() })
	}
	return s, err
}

// TestNoPlaceForState: a server with a fixed key needs no database, as in a
// container; a server without a key does.
func TestNoPlaceForState(t *testing.T) {
	home := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(home, nil, 0o600))
	state, err := opened(t, home, Key{Secret: "the operator's own key"})
	if err != nil || state.store != nil {
		t.Errorf("with a key that was set: %+v, %v", state, err)
	}
	if _, err := opened(t, home, Key{Secret: keyring.NewText(false), Generated: true}); err == nil {
		t.Error("without one the server starts")
	}
}

// TestStateThatCannotBeRead: a fixed key does not make the keys of an
// unreadable database optional. Their owners would get 401.
func TestStateThatCannotBeRead(t *testing.T) {
	home := t.TempDir()
	check(t, os.WriteFile(filepath.Join(home, "rcpt.db"), []byte("a database of something else, or what is left of ours"), 0o600))
	if _, err := opened(t, home, Key{Secret: "the operator's own key"}); err == nil {
		t.Error("the server starts without the keys of its database")
	}
}

// TestReadyWithOldKeys: a node that could not read the keys for long is not
// ready, even if its database answers.
func TestReadyWithOldKeys(t *testing.T) {
	s := openStore(t, store.Options{DataDir: t.TempDir()})
	var ahead time.Duration
	keys, err := keyring.Open(t.Context(), keyring.Config{Store: s, Now: func() time.Time { return time.Now().Add(ahead) }})
	check(t, err)
	check(t, keys.Close()) // looks no more
	node := &state{store: s, keys: keys}
	if err := node.ready(t.Context()); err != nil {
		t.Error(err)
	}
	ahead = 2 * staleKeys
	if err := node.ready(t.Context()); err == nil {
		t.Error("it is ready")
	}
}

// TestKeyOfARun: a key is generated if there is no usable key.
func TestKeyOfARun(t *testing.T) {
	home := t.TempDir()
	made := Key{Secret: keyring.NewText(false), Generated: true}
	wantSecret := func(when, want string) {
		t.Helper()
		state, err := opened(t, home, made)
		check(t, err)
		if state.key.Secret != want {
			t.Errorf("%s: the key of the run is %q, want %q", when, state.key.Secret, want)
		}
		check(t, state.close())
	}
	wantSecret("without keys", made.Secret)
	s, err := store.Open(t.Context(), store.Options{DataDir: home})
	check(t, err)
	_, key, err := keyring.NewKey(t.Context(), s, store.ByCommand("test"), store.Key{Name: "shop"})
	check(t, errors.Join(err, s.Close()))
	wantSecret("with a key", "")
	s, err = store.Open(t.Context(), store.Options{DataDir: home})
	check(t, err)
	check(t, errors.Join(s.RevokeKey(t.Context(), store.ByCommand("test"), key.ID), s.Close()))
	wantSecret("with a revoked key", made.Secret)
}

// TestShortKey: a fixed key that can be guessed is logged as short, without the
// key; others are not.
func TestShortKey(t *testing.T) {
	for secret, warned := range map[string]bool{"hunter2": true, "0123456789abcde": true, "0123456789abcdef": false, keyring.NewText(false): false} {
		var log strings.Builder
		Key{Secret: secret}.WarnIfShort(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "RCPT_API_KEY") != warned || strings.Contains(log.String(), secret) {
			t.Errorf("%q: log %q", secret, log.String())
		}
	}
}
