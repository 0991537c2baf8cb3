package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/tty"
	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// keysEditCommand is "rcpt keys edit". What no flag names stays as it is.
type keysEditCommand struct {
	keysFlags
	Name        *string       `env:"-" placeholder:"NAME" help:"What it is for, to know it by."`
	Scope       []keyScope    `env:"-" placeholder:"SCOPE" help:"What it may be used for, in place of what it was: verify, bulk, usage; repeatable."`
	Rate        requestRate   `env:"-" placeholder:"N/s" help:"Requests in a second (N/m: minute, N/h: hour, N/d: day), on each server."`
	Burst       positiveCount `env:"-" placeholder:"N" help:"Requests at once. With --rate the default is as many as that says."`
	Concurrency positiveCount `env:"-" placeholder:"N" help:"Requests at a time, on each server."`
	Quota       positiveCount `env:"-" placeholder:"N" help:"Verifications in a calendar month (UTC), on all servers together."`
	Expires     expiry        `env:"-" placeholder:"WHEN" help:"When it ends: 90d, 12h, or a date (UTC) such as 2027-01-31."`
	Network     []network     `env:"-" placeholder:"CIDR" help:"Network that clients must come from, in place of those it had; repeatable."`
	Without     []string      `env:"-" placeholder:"LIMIT" enum:"rate,concurrency,quota,expires,network" help:"Take a limit away: rate, concurrency, quota, expires or network; repeatable."`
	Key         string        `arg:"" help:"The key: its ID, the beginning of its name, or the key itself."`
}

// Run changes a key and prints what it is then.
func (c *keysEditCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		key, err := meantKey(keys, c.Key)
		if err != nil {
			return usage(err)
		}
		now := time.Now()
		if !key.Usable(now) {
			return fmt.Errorf("the key %s is revoked or expired: make a new one instead", key.ID)
		}
		changed, err := c.changed(key, now)
		if err != nil {
			return usage(err)
		}
		if err := s.UpdateKey(ctx, changed); err != nil {
			return err
		}
		record, err := recordWithQuota(ctx, s, changed, now)
		if err != nil {
			return err
		}
		if c.JSON {
			return newEncoder(std.out).Encode(record)
		}
		return writeKeys(std.out, []keyRecord{record})
	})
}

// changed is the key with what the flags say.
func (c *keysEditCommand) changed(k store.Key, now time.Time) (store.Key, error) {
	for _, limit := range c.Without {
		switch limit {
		case "rate":
			k.RatePerSecond, k.Burst = 0, 0
		case "concurrency":
			k.Concurrency = 0
		case "quota":
			k.MonthlyQuota = 0
		case "expires":
			k.Expires = time.Time{}
		case "network":
			k.Networks = nil
		}
	}
	if c.Name != nil {
		k.Name = *c.Name
	}
	if len(c.Scope) > 0 {
		k.Scopes = nil
	}
	for _, scope := range c.Scope {
		k.Scopes = append(k.Scopes, store.Scope(scope))
	}
	if c.Rate.perSecond > 0 {
		k.RatePerSecond, k.Burst = c.Rate.perSecond, c.Rate.burst()
	}
	if c.Burst > 0 {
		k.Burst = int(c.Burst)
	}
	if k.Burst > 0 && k.RatePerSecond == 0 {
		return k, errors.New("--burst is how many requests of a rate may come at once: give --rate too")
	}
	if c.Concurrency > 0 {
		k.Concurrency = int(c.Concurrency)
	}
	if c.Quota > 0 {
		k.MonthlyQuota = int64(c.Quota)
	}
	if len(c.Network) > 0 {
		k.Networks = nil
	}
	for _, from := range c.Network {
		k.Networks = append(k.Networks, netip.Prefix(from))
	}
	if c.Expires == (expiry{}) {
		return k, nil
	}
	var err error
	k.Expires, err = c.Expires.from(now)
	return k, err
}

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
	fmt.Fprintf(std.err, "This is the key %s in %s. Keep it: it is shown this once, and only its hash is stored.\n", fresh.ID, tty.Printable(c.place()))
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
	_, err = fmt.Fprintf(std.out, "revoked  %s  %s\n", key.ID, tty.Printable(key.Name))
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
		ids = append(ids, key.ID+" ("+tty.Printable(key.Name)+")")
	}
	return strings.Join(ids, ", ")
}
