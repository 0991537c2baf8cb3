package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// keysEditCommand is "rcpt keys edit". It changes only what flags name.
type keysEditCommand struct {
	keysFlags
	Name        *string            `env:"-" placeholder:"NAME" help:"Label for this key."`
	Scope       []keyScope         `env:"-" placeholder:"SCOPE" help:"What the key allows, in place of its scopes so far: verify, bulk, usage; repeatable."`
	Rate        requestRate        `env:"-" placeholder:"N/s" help:"Requests per second (N/m: minute, N/h: hour, N/d: day), on each server."`
	Burst       settings.Count     `env:"-" placeholder:"N" help:"Requests that may arrive at once. Default with --rate: its number."`
	Concurrency settings.Count     `env:"-" placeholder:"N" help:"Requests in progress at a time, on each server."`
	Quota       settings.Count     `env:"-" placeholder:"N" help:"Verifications per calendar month (UTC), on all servers together."`
	Expires     expiry             `env:"-" placeholder:"WHEN" help:"When the key expires: 90d, 12h, or at the end of a day (UTC) such as 2027-01-31."`
	Network     []settings.Network `env:"-" placeholder:"CIDR" help:"Network that clients must come from, in place of its networks so far; repeatable."`
	Without     []string           `env:"-" placeholder:"LIMIT" enum:"rate,concurrency,quota,expires,network" help:"Remove a limit: rate, concurrency, quota, expires or network; repeatable."`
	Key         string             `arg:"" help:"The key: its ID, the beginning of its name, or the key itself."`
}

// Run changes a key and prints it.
func (c *keysEditCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		key, err := findKey(keys, c.Key)
		if err != nil {
			return usage(err)
		}
		now := time.Now()
		if !key.Usable(now) {
			return fmt.Errorf("the key %s is revoked or expired: create a new one instead", key.ID)
		}
		changed, err := c.changed(key, now)
		if err != nil {
			return usage(err)
		}
		if err := s.UpdateKey(ctx, operator(), changed); err != nil {
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

// changed returns the key with the changes of the flags.
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
		return k, errors.New("--burst needs --rate: it is how many requests of that rate may arrive at once")
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
	Overlap overlap `env:"-" placeholder:"DUR" default:"1d" help:"How long the old key still works, such as 1h, 1d or 7d; 0: not at all. Default: ${default}."`
	Key     string  `arg:"" help:"The key: its ID, the beginning of its name, or the key itself."`
}

// Run creates a key that replaces another, and prints it.
func (c *keysRotateCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		old, err := findKey(keys, c.Key)
		if err != nil {
			return usage(err)
		}
		text, fresh, err := keyring.Replacement(ctx, s, operator(), old.ID, time.Now().Add(time.Duration(c.Overlap)))
		if err != nil {
			return err
		}
		if err := c.print(ctx, std, s, text, fresh); err != nil {
			// The old key still works for the overlap, but nobody has seen the
			// new one.
			err = fmt.Errorf("the new key could not be printed and is revoked; the old key is unchanged: %w", err)
			return errors.Join(err, undoRotation(context.WithoutCancel(ctx), s, old, fresh))
		}
		return nil
	})
}

// undoRotation revokes the new key and restores the old one.
func undoRotation(ctx context.Context, s *store.Store, old, fresh store.Key) error {
	return errors.Join(s.RevokeKey(ctx, operator(), fresh.ID), s.UpdateKey(ctx, operator(), old))
}

func (c *keysRotateCommand) print(ctx context.Context, std terminal, s *store.Store, text string,
	fresh store.Key) error {
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
	fmt.Fprintf(std.err, createdText, fresh.ID, tty.Printable(c.place()))
	fmt.Fprintf(std.err, "It replaces the key %s, which %s.\n", old.ID, endOf(old, fresh.Created))
	return nil
}

// endOf says when a replaced key expires.
func endOf(old store.Key, now time.Time) string {
	if !old.Usable(now) {
		return "has expired"
	}
	return "works until " + old.Expires.UTC().Format("2006-01-02 15:04 UTC")
}

// keysRevokeCommand is "rcpt keys revoke".
type keysRevokeCommand struct {
	keysFlags
	CancelLists bool     `env:"-" help:"Cancel the lists of the keys, too. Otherwise they are paused."`
	Key         []string `arg:"" help:"Keys: for each its ID, the beginning of its name, or the key itself."`
}

// Run revokes the keys, or none if one of them is not found or ambiguous. Their
// lists are paused by that.
func (c *keysRevokeCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		keys, err := s.Keys(ctx)
		if err != nil {
			return err
		}
		var meant []store.Key
		for _, argument := range c.Key {
			key, err := findKey(keys, argument)
			if err != nil {
				return usage(err)
			}
			meant = append(meant, key)
		}
		for _, key := range meant {
			if err := s.RevokeKey(ctx, operator(), key.ID); err != nil {
				return err
			}
			if err := c.endLists(ctx, std, s, key.ID); err != nil {
				return err
			}
			if err := c.print(ctx, std, s, key.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// endLists cancels the lists of a revoked key, or says how many are paused.
func (c *keysRevokeCommand) endLists(ctx context.Context, std terminal, s *store.Store, id string) error {
	if c.CancelLists {
		n, err := s.CancelJobsOfKey(ctx, operator(), id)
		if n > 0 {
			fmt.Fprintf(std.err, "Lists of the key %s: %d cancelled.\n", id, n)
		}
		return err
	}
	paused, err := s.Jobs(ctx, store.JobQuery{Key: id, State: store.JobPaused})
	if len(paused) > 0 {
		const format = "Lists of the key %s: %d paused. See rcpt jobs list --key %s.\n"
		fmt.Fprintf(std.err, format, id, len(paused), id)
	}
	return err
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

// findKey returns the one key that an argument names: by its ID or its text, or
// among the keys that are not revoked by its name or the beginning of its name.
func findKey(keys []store.Key, argument string) (store.Key, error) {
	if argument == "" {
		return store.Key{}, errors.New("an empty argument names no key: write its ID or the beginning of its name")
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
			return store.Key{}, fmt.Errorf("%q fits several keys: %s: write the ID", argument, idsOf(named))
		}
	}
	if strings.HasPrefix(argument, keyring.TextPrefix) { // perhaps a mistyped key, which the error must not show
		const text = "there is no such key here: check that it is complete, and that --data or --database is right"
		return store.Key{}, errors.New(text)
	}
	return store.Key{}, fmt.Errorf("there is no active key %q: see rcpt keys list", argument)
}

func idsOf(keys []store.Key) string {
	var ids []string
	for _, key := range keys {
		ids = append(ids, key.ID+" ("+tty.Printable(key.Name)+")")
	}
	return strings.Join(ids, ", ")
}
