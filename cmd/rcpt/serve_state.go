package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// serviceState is the database of a service and its keys.
type serviceState struct {
	store  *store.Store // nil: there is no database
	keys   *keyring.Keyring
	key    apiKey // the fixed key, if it has a secret
	folder string // where large temporary files belong; empty: that of the system
}

// openState opens the state with the fixed key. If none was set, the key that
// was generated for this run is used only where the database has no usable key.
func (c *serveCommand) openState(ctx context.Context, where store.Options, key apiKey,
	logger *slog.Logger) (*serviceState, error) {
	where.Log = logger
	opened, err := store.Open(ctx, where)
	if err != nil {
		if key.generated || c.Data != "" || store.Exists(where) {
			return nil, err
		}
		// Containers with a fixed key often have no writable folder, and need
		// none. A database that exists has keys, whose owners would get 401.
		logger.Warn("running without a database: no other keys, no usage and no dashboard; name a folder with --data",
			slog.String("error", err.Error()))
		return fixedState(ctx, key)
	}
	state := &serviceState{store: opened, key: key, folder: c.temporaryFolder(logger)}
	warnOfFolder(state.folder, where.DatabaseURL == "", logger)
	if key.generated && anyUsable(ctx, opened) {
		state.key = apiKey{}
	}
	state.keys, err = keyring.Open(ctx, keyring.Config{Store: opened, Fixed: state.key.secret, Log: logger})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return state, nil
}

// fixedState is the state of a service without a database and with one key.
func fixedState(ctx context.Context, key apiKey) (*serviceState, error) {
	keys, err := keyring.Open(ctx, keyring.Config{Fixed: key.secret})
	return &serviceState{keys: keys, key: key}, err
}

// anyUsable reports whether there is a usable key. It returns true if that is
// not known, so that no key is generated.
func anyUsable(ctx context.Context, s *store.Store) bool {
	all, err := s.Keys(ctx)
	return err != nil || slices.ContainsFunc(all, func(k store.Key) bool { return k.Usable(time.Now()) })
}

// controlSecret returns the secret from which the nodes of a database make
// their control mailboxes; nil: there is no database but that of the data
// folder.
func (s *serviceState) controlSecret() []byte {
	if s.store == nil || s.folder != "" {
		return nil
	}
	return s.store.Secret("control mailboxes")
}

// ready returns why requests cannot be served, or nil.
func (s *serviceState) ready(ctx context.Context) error {
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

func (s *serviceState) record(use store.Use) {
	if s.store != nil {
		s.store.RecordUse(use)
	}
}

func (s *serviceState) close() error {
	err := s.keys.Close()
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}

// apiKeyVariable is the environment variable with the server's key. There is no
// flag for it: other users can see the flags of a process.
const apiKeyVariable = "RCPT_API_KEY"

// shortKey is the length below which a key is called short: 16 random
// hexadecimal digits are 64 bits.
const shortKey = 16

type apiKey struct {
	secret    string
	generated bool // for this run, because none was set
}

// apiKeyFrom returns the key that was set, or generates one. It removes blanks
// around the key: files with keys often end with a line feed.
func apiKeyFrom(set string) (apiKey, error) {
	secret := strings.TrimSpace(set)
	if secret == "" {
		return apiKey{secret: keyring.NewText(), generated: true}, nil
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			const format = "%s has characters that are not allowed in a header: " +
				"use visible ASCII characters without spaces"
			return apiKey{}, fmt.Errorf(format, apiKeyVariable)
		}
	}
	return apiKey{secret: secret}, nil
}

// warnIfShort logs that a key can be guessed. The server cannot limit guessing:
// behind a reverse proxy all clients have the same address.
func (k apiKey) warnIfShort(logger *slog.Logger) {
	if len(k.secret) < shortKey {
		logger.Warn("the key is short and can be guessed: set "+apiKeyVariable+" to a long random text",
			slog.Int("length", len(k.secret)))
	}
}
