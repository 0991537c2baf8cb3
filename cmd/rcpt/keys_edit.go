package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

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
