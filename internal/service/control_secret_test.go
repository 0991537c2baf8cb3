//go:build unix

package service

import (
	"log/slog"
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
)

// TestControlSecret: the nodes of a shared database ask about the same control
// mailboxes, whatever is in their data folders; other servers keep that of
// their folder.
func TestControlSecret(t *testing.T) {
	secretOf := func(node, database string) string {
		t.Helper()
		c := Config{
			Engine: engine.Config{Logger: slog.New(slog.DiscardHandler), ControlSecret: []byte(node)},
			Store:  store.Options{DataDir: t.TempDir()}, Folder: t.TempDir(), Key: Key{Secret: "the operator's own key"},
		}
		if database != "" {
			c.Store = store.Options{DatabaseURL: database}
		}
		s, err := openState(t.Context(), c)
		check(t, err)
		defer func() { check(t, s.close()) }()
		return string(s.controlSecret(c))
	}
	if got := secretOf("a", ""); got != "a" {
		t.Errorf("with an embedded database: %q", got)
	}
	shared := storetest.Start(t).Database(t)
	a, b := secretOf("a", shared), secretOf("b", shared)
	if a != b || a == "a" {
		t.Errorf("two nodes have %q and %q", a, b)
	}
}
