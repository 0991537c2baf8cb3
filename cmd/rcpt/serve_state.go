package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// serviceState is what a service keeps from run to run, and who may use it.
type serviceState struct {
	store *store.Store // nil: nothing is kept
	keys  *keyring.Keyring
	key   apiKey // the fixed key; its secret is empty where there is none
}

// openState opens the state, with the key that was set. Where none was, and nobody has one yet, a key is made for this run.
func (c *serveCommand) openState(ctx context.Context, where store.Options, key apiKey, logger *slog.Logger) (*serviceState, error) {
	where.Log = logger
	opened, err := store.Open(ctx, where)
	if err != nil {
		if key.made || c.Data != "" || store.Exists(where) {
			return nil, err
		}
		// Containers with a fixed key often have no place to write to, and need none. Where there are keys already, their owners would get 401.
		logger.Warn("nothing is kept from run to run, and there are no other keys, no usage and no dashboard: name a folder with --data",
			slog.String("error", err.Error()))
		return fixedState(ctx, key)
	}
	state := &serviceState{store: opened, key: key}
	if key.made && anyUsable(ctx, opened) {
		state.key = apiKey{}
	}
	state.keys, err = keyring.Open(ctx, keyring.Config{Store: opened, Fixed: state.key.secret, Log: logger})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return state, nil
}

// fixedState is that of a service that keeps nothing and has one key.
func fixedState(ctx context.Context, key apiKey) (*serviceState, error) {
	keys, err := keyring.Open(ctx, keyring.Config{Fixed: key.secret})
	return &serviceState{keys: keys, key: key}, err
}

// anyUsable reports whether somebody has a key. Where that cannot be known, nobody gets one of a run.
func anyUsable(ctx context.Context, s *store.Store) bool {
	all, err := s.Keys(ctx)
	return err != nil || slices.ContainsFunc(all, func(k store.Key) bool { return k.Usable(time.Now()) })
}

// ready tells why requests cannot be served.
func (s *serviceState) ready(ctx context.Context) error {
	if s.store == nil {
		return nil
	}
	if stale := s.keys.Stale(); stale > staleKeys {
		return fmt.Errorf("the keys are those of %v ago", stale.Round(time.Second))
	}
	return s.store.Ping(ctx)
}

// staleKeys is how long a node that cannot read the keys is one to send requests to: revocations elsewhere pass it by.
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

// apiKeyVariable is the environment variable with the server's key. There is no flag for it: other users can see the flags of a process.
const apiKeyVariable = "RCPT_API_KEY"

// shortKey is the length from which on a key that was set is not called short: random hexadecimal digits of that number are 64 bits.
const shortKey = 16

type apiKey struct {
	secret string
	made   bool // for this run, because none was set
}

// apiKeyFrom takes the key that was set, or makes one. Blanks around it are left out: files that hold keys often end with a line feed.
func apiKeyFrom(set string) (apiKey, error) {
	secret := strings.TrimSpace(set)
	if secret == "" {
		return apiKey{secret: keyring.NewText(), made: true}, nil
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			return apiKey{}, fmt.Errorf("%s has characters that a header cannot carry: use visible ASCII characters without spaces", apiKeyVariable)
		}
	}
	return apiKey{secret: secret}, nil
}

// warnIfShort tells that a key can be guessed. The server cannot keep guessers out: behind a reverse proxy they look like everybody else.
func (k apiKey) warnIfShort(logger *slog.Logger) {
	if len(k.secret) < shortKey {
		logger.Warn("the key is short enough to be guessed: set "+apiKeyVariable+" to a long random text", slog.Int("length", len(k.secret)))
	}
}
