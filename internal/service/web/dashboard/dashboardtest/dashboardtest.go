// Package dashboardtest has what the tests of the dashboard and those in a
// browser share: a store, its keys, a mail world that answers by the
// local-part, and the work on lists.
package dashboardtest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// Login and Password are those of the account that the tests make.
const (
	Login    = "ada@acme.example"
	Password = "correct horse battery"
)

// Morning is some time after midnight, so that a test of an hour stays within a
// day.
var Morning = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// Keys are the keys of a store, without what a server has around them.
type Keys struct{ Store *store.Store }

// Create is that of the dashboard's Keys.
func (k Keys) Create(ctx context.Context, by store.Actor, key store.Key) (string, store.Key, error) {
	text := "rcpt_" + rand.Text()
	key.Hash = store.HashOf(text)
	key, err := k.Store.CreateKey(ctx, by, key)
	return text, key, err
}

// Update is that of the dashboard's Keys.
func (k Keys) Update(ctx context.Context, by store.Actor, key store.Key) error {
	return k.Store.UpdateKey(ctx, by, key)
}

// Rotate is that of the dashboard's Keys.
func (k Keys) Rotate(ctx context.Context, by store.Actor, id string, until time.Time) (string, store.Key, error) {
	text := "rcpt_" + rand.Text()
	key, err := k.Store.RotateKey(ctx, by, id, store.HashOf(text), until)
	return text, key, err
}

// Revoke is that of the dashboard's Keys.
func (k Keys) Revoke(ctx context.Context, by store.Actor, id string) error {
	return k.Store.RevokeKey(ctx, by, id)
}

// OpenStore opens an embedded store, which is closed when the test ends; now
// may be nil.
func OpenStore(t *testing.T, now func() time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
