package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// keysRotateCommand is "rcpt keys rotate".
type keysRotateCommand struct {
	keysFlags
	Overlap overlap `env:"-" placeholder:"DUR" default:"1d" help:"How long the old key works on, such as 1h, 1d or 7d; 0: it ends at once. Default: ${default}."`
	Key     string  `arg:"" help:"The key: its ID, the beginning of its name, or the key itself."`
}

// Run prints a new key in place of one that ends by itself.
func (c *keysRotateCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		old, err := meantKey(keys, c.Key)
		if err != nil {
			return usage(err)
		}
		text, fresh, err := keyring.Replacement(ctx, s, old.ID, time.Now().Add(time.Duration(c.Overlap)))
		if err != nil {
			return err
		}
		if err := c.print(ctx, std, s, text, fresh); err != nil {
			// The old key works for the overlap still, but nobody has seen the
			// new one.
			return errors.Join(fmt.Errorf("the new key cannot be printed and is revoked; the old one is as it was: %w", err), undoRotation(context.WithoutCancel(ctx), s, old, fresh))
		}
		return nil
	})
}

// undoRotation makes a new key that nobody has seen unusable, and the old one
// what it was.
func undoRotation(ctx context.Context, s *store.Store, old, fresh store.Key) error {
	return errors.Join(s.RevokeKey(ctx, fresh.ID), s.UpdateKey(ctx, old))
}

func (c *keysRotateCommand) print(ctx context.Context, std terminal, s *store.Store, text string, fresh store.Key) error {
	if c.JSON {
		record := recordOf(fresh, fresh.Created)
		record.Key = text
		return newEncoder(std.out).Encode(record)
	}
	if _, err := fmt.Fprintln(std.out, text); err != nil {
		return err
	}
	old, err := s.Key(ctx, fresh.Replaces)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "This is the key %s in %s. Keep it: it is shown this once, and only its hash is stored.\n", fresh.ID, printable(c.place()))
	fmt.Fprintf(std.err, "It replaces %s, which %s.\n", old.ID, endOf(old, fresh.Created))
	return nil
}

// endOf says when a key that is replaced ends.
func endOf(old store.Key, now time.Time) string {
	if !old.Usable(now) {
		return "has ended"
	}
	return "works until " + old.Expires.UTC().Format("2006-01-02 15:04 UTC") + " and then ends by itself"
}
