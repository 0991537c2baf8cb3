package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// state is the database of a service and its keys.
type state struct {
	store  *store.Store // nil: there is no database
	keys   *keyring.Keyring
	key    Key    // the fixed key, if it has a secret
	folder string // where large temporary files belong; empty: that of the system
}

// openState opens the state with the fixed key. If none was set, the key that
// was generated for this run is used only where the database has no usable key.
func openState(ctx context.Context, c Config) (*state, error) {
	where, key := c.Store, c.Key
	where.Log = c.Engine.Logger
	opened, err := store.Open(ctx, where)
	if err != nil {
		if key.Generated || !c.StoreOptional || store.Exists(where) {
			return nil, err
		}
		// Containers with a fixed key often have no writable folder, and need
		// none. A database that exists has keys, whose owners would get 401.
		where.Log.Warn("running without a database: no other keys, no usage and no dashboard; "+
			"name a folder with --data",
			slog.String("error", err.Error()))
		keys, err := keyring.Open(ctx, keyring.Config{Fixed: key.Secret})
		return &state{keys: keys, key: key}, err
	}
	s := &state{store: opened, key: key, folder: temporaryFolder(c.Folder, where.Log)}
	warnOfFolder(s.folder, where.DatabaseURL == "", where.Log)
	if key.Generated && !c.KeyAlways && anyUsable(ctx, opened) {
		s.key = Key{}
	}
	s.keys, err = keyring.Open(ctx, keyring.Config{Store: opened, Fixed: s.key.Secret, Log: where.Log})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return s, nil
}

// anyUsable reports whether there is a usable key. It returns true if that is
// not known, so that no key is generated.
func anyUsable(ctx context.Context, s *store.Store) bool {
	all, err := s.Keys(ctx)
	return err != nil || slices.ContainsFunc(all, func(k store.Key) bool { return k.Usable(time.Now()) })
}

// controlSecret returns the secret from which control mailboxes are made. The
// nodes of a shared database have one in common: a host that greylists each
// recipient that it has not seen before sees the same ones from all of them.
func (s *state) controlSecret(c Config) []byte {
	if s.store == nil || c.Store.DatabaseURL == "" {
		return c.Engine.ControlSecret
	}
	return s.store.Secret("control mailboxes")
}

// ready returns why requests cannot be served, or nil.
func (s *state) ready(ctx context.Context) error {
	if s.store == nil {
		return nil
	}
	if stale := s.keys.Stale(); stale > staleKeys {
		return fmt.Errorf("the keys were read %v ago", stale.Round(time.Second))
	}
	return s.store.Ping(ctx)
}

// staleKeys is how long a node stays ready that cannot read the keys. It does
// not see revocations on other nodes.
const staleKeys = 30 * time.Second

func (s *state) record(use store.Use) {
	if s.store != nil {
		s.store.RecordUse(use)
	}
}

func (s *state) close() error {
	err := s.keys.Close()
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}
