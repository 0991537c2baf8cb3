package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// keysRevokeCommand is "rcpt keys revoke".
type keysRevokeCommand struct {
	keysFlags
	Key []string `arg:"" help:"Keys: the ID of one, the beginning of its name, or the key itself."`
}

// Run revokes the keys, or none if it is not clear which are meant.
func (c *keysRevokeCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		var meant []store.Key
		for _, argument := range c.Key {
			key, err := meantKey(keys, argument)
			if err != nil {
				return usage(err)
			}
			meant = append(meant, key)
		}
		for _, key := range meant {
			if err := s.RevokeKey(ctx, key.ID); err != nil {
				return err
			}
			if err := c.print(ctx, std, s, key.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *keysRevokeCommand) print(ctx context.Context, std terminal, s *store.Store, id string) error {
	key, err := s.Key(ctx, id)
	if err != nil {
		return err
	}
	if c.JSON {
		return newEncoder(std.out).Encode(recordOf(key, time.Now()))
	}
	_, err = fmt.Fprintf(std.out, "revoked  %s  %s\n", key.ID, printable(key.Name))
	return err
}

// meantKey is the one key that an argument means: by its ID or its text, or among those that are not revoked by its name or its beginning.
func meantKey(keys []store.Key, argument string) (store.Key, error) {
	if argument == "" {
		return store.Key{}, errors.New("an empty argument means no key: write its ID or the beginning of its name")
	}
	hash := store.HashOf(argument)
	for _, key := range keys {
		if key.ID == argument || key.Hash == hash {
			return key, nil
		}
	}
	for _, fits := range []func(name string) bool{
		func(name string) bool { return name == argument },
		func(name string) bool { return strings.HasPrefix(name, argument) },
	} {
		var named []store.Key
		for _, key := range keys {
			if key.Revoked.IsZero() && fits(key.Name) {
				named = append(named, key)
			}
		}
		if len(named) == 1 {
			return named[0], nil
		}
		if len(named) > 1 {
			return store.Key{}, fmt.Errorf("%q may be any of %s: write the ID", argument, idsOf(named))
		}
	}
	if strings.HasPrefix(argument, keyring.TextPrefix) { // perhaps a key, with a typing error: not to be repeated
		return store.Key{}, errors.New("there is no such key here: look whether it is whole, and --data or --database name the right place")
	}
	return store.Key{}, fmt.Errorf("there is no key %q that is not revoked: see rcpt keys list", argument)
}

func idsOf(keys []store.Key) string {
	var ids []string
	for _, key := range keys {
		ids = append(ids, key.ID+" ("+printable(key.Name)+")")
	}
	return strings.Join(ids, ", ")
}
