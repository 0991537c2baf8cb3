package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// The types below read the values of flags about keys, as those in values.go do.
type (
	keyScope    store.Scope
	requestRate struct {
		perSecond float64
		requests  float64 // in the time that was named
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

// UnmarshalText reads a time of up to a year.
func (o *overlap) UnmarshalText(text []byte) error {
	const most = 365 * 24 * time.Hour
	if string(text) == "0" {
		*o = 0
		return nil
	}
	var e expiry
	if err := e.UnmarshalText(text); err != nil || e.after == 0 || e.after > most {
		return fmt.Errorf("%q is not a time for both keys: write hours or days up to 365d, such as 1h, 1d or 7d, or 0", text)
	}
	*o = overlap(e.after)
	return nil
}

// burst is how many requests may come at once: a rate of ten a minute allows ten.
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
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			*e = expiry{at: at.UTC()}
			return nil
		}
	}
	return fmt.Errorf("%q is not an expiry: write days or hours from now, such as 90d or 12h, or a date such as 2027-01-31", text)
}

// from is the moment from which a key that is made now does not work any more; zero: it always works.
func (e expiry) from(now time.Time) (time.Time, error) {
	if e.after > 0 {
		return now.Add(e.after), nil
	}
	if !e.at.IsZero() && !e.at.After(now) {
		return e.at, fmt.Errorf("--expires: %s has passed", e.at.Format(time.RFC3339))
	}
	return e.at, nil
}
