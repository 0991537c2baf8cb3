package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// keysCreateCommand is "rcpt keys create". Its flags describe one key, so
// neither the environment nor a file sets them.
type keysCreateCommand struct {
	keysFlags
	Name        string             `env:"-" placeholder:"NAME" help:"Label for this key."`
	Scope       []keyScope         `env:"-" placeholder:"SCOPE" default:"verify,usage" help:"What the key allows: verify, usage, or bulk (lists over HTTP); repeatable. Default: ${default}."`
	Rate        requestRate        `env:"-" placeholder:"N/s" help:"Requests per second (N/m: minute, N/h: hour, N/d: day), on each server. Default: no limit."`
	Burst       settings.Count     `env:"-" placeholder:"N" help:"Requests that may arrive at once. Default: the number of --rate, so 10/m allows ten."`
	Concurrency settings.Count     `env:"-" placeholder:"N" help:"Requests in progress at a time, on each server. Default: no limit."`
	Quota       settings.Count     `env:"-" placeholder:"N" help:"Verifications per calendar month (UTC), on all servers together. Default: no limit."`
	Expires     expiry             `env:"-" placeholder:"WHEN" help:"When the key expires: 90d, 12h, or at the end of a day (UTC) such as 2027-01-31. Default: never."`
	Network     []settings.Network `env:"-" placeholder:"CIDR" help:"Network that clients must come from; repeatable. Default: anywhere."`
	Test        bool               `env:"-" help:"Create a test key: it asks no mail host and is not counted; the address says the answer (docs/testing.md)."`

	CreateDatabase bool `env:"-" help:"Create the database if there is none, before the first start of a server."`
}

// Run creates a key.
func (c *keysCreateCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	wanted, err := c.key(time.Now())
	if err != nil {
		return usage(err)
	}
	err = c.withStore(ctx, std, logs, !c.CreateDatabase, func(s *store.Store) error {
		text, key, err := keyring.NewKey(ctx, s, operator(), wanted)
		if err != nil {
			return err
		}
		if err := c.print(std, text, key); err != nil {
			err = fmt.Errorf("the key could not be printed and is revoked: %v", err)
			return errors.Join(err, s.RevokeKey(context.WithoutCancel(ctx), operator(), key.ID))
		}
		return nil
	})
	if errors.Is(err, errNoDatabase) {
		return fmt.Errorf("%w; --create-database creates it there", err)
	}
	return err
}

func (c *keysCreateCommand) key(now time.Time) (store.Key, error) {
	k := store.Key{
		Name: c.Name, RatePerSecond: c.Rate.perSecond, Burst: c.Rate.burst(),
		Concurrency: int(c.Concurrency), MonthlyQuota: int64(c.Quota), Test: c.Test,
	}
	if c.Test && c.Quota > 0 {
		return k, errors.New("--quota is not for a test key, which is not counted")
	}
	if c.Burst > 0 {
		k.Burst = int(c.Burst)
		if k.RatePerSecond == 0 {
			return k, errors.New("--burst needs --rate: it is how many requests of that rate may arrive at once")
		}
	}
	for _, scope := range c.Scope {
		k.Scopes = append(k.Scopes, store.Scope(scope))
	}
	for _, from := range c.Network {
		k.Networks = append(k.Networks, netip.Prefix(from))
	}
	var err error
	k.Expires, err = c.Expires.from(now)
	return k, err
}

// createdText is printed after a new key.
const createdText = "Created the key %s in %s. Save it now: it is not shown again, and only its hash is stored.\n"

// print prints the key, and nothing else on standard output, for scripts.
func (c *keysCreateCommand) print(std terminal, text string, key store.Key) error {
	if c.JSON {
		record := recordOf(key, key.Created)
		record.Key = text
		return newEncoder(std.out).Encode(record)
	}
	if _, err := fmt.Fprintln(std.out, text); err != nil {
		return err
	}
	fmt.Fprintf(std.err, createdText, key.ID, tty.Printable(c.place()))
	return nil
}

// The types below parse the values of flags for keys, as those in
// flag_values.go do.
type (
	keyScope    store.Scope
	requestRate struct {
		perSecond float64
		requests  float64 // in the time unit of the flag
	}
	overlap time.Duration
	expiry  struct {
		after time.Duration // from now; zero: at
		at    time.Time
	}
)

func (s *keyScope) UnmarshalText(text []byte) error {
	switch scope := store.Scope(text); scope {
	case store.ScopeVerify, store.ScopeBulk, store.ScopeUsage:
		*s = keyScope(scope)
		return nil
	}
	return fmt.Errorf("%q is not a scope: use verify, bulk or usage, several with commas between them", text)
}

func (r *requestRate) UnmarshalText(text []byte) error {
	var err error
	r.perSecond, r.requests, err = keyring.ParseRate(string(text))
	return err
}

// UnmarshalText parses a time of up to a year.
func (o *overlap) UnmarshalText(text []byte) error {
	const most = 365 * 24 * time.Hour
	if string(text) == "0" {
		*o = 0
		return nil
	}
	var e expiry
	if err := e.UnmarshalText(text); err != nil || e.after == 0 || e.after > most {
		return fmt.Errorf("%q is not an overlap: write hours or days up to 365d, such as 1h, 1d or 7d, or 0", text)
	}
	*o = overlap(e.after)
	return nil
}

// burst is how many requests may arrive at once: ten for a rate of ten a
// minute.
func (r requestRate) burst() int {
	if r.perSecond == 0 {
		return 0
	}
	return keyring.DefaultBurst(r.requests)
}

func (e *expiry) UnmarshalText(text []byte) error {
	if days, found := strings.CutSuffix(string(text), "d"); found {
		const most = 36500
		if number, err := strconv.ParseUint(days, 10, 16); err == nil && number > 0 && number <= most {
			*e = expiry{after: time.Duration(number) * 24 * time.Hour}
			return nil
		}
	}
	if after, err := time.ParseDuration(string(text)); err == nil && after > 0 {
		*e = expiry{after: after}
		return nil
	}
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		*e = expiry{at: day.AddDate(0, 0, 1)} // the end of that day
		return nil
	}
	if at, err := time.Parse(time.RFC3339, string(text)); err == nil {
		*e = expiry{at: at.UTC()}
		return nil
	}
	const form = "%q is not an expiry: write days or hours from now, such as 90d or 12h, or a date such as 2027-01-31"
	return fmt.Errorf(form, text)
}

// from returns when a key created now expires, or zero for never.
func (e expiry) from(now time.Time) (time.Time, error) {
	if e.after > 0 {
		return now.Add(e.after), nil
	}
	if !e.at.IsZero() && !e.at.After(now) {
		return e.at, fmt.Errorf("--expires: %s is in the past", e.at.Format(time.RFC3339))
	}
	return e.at, nil
}
