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
	expiry struct {
		after time.Duration // from now; zero: at
		at    time.Time
	}
)

// rateUnits are the times for which a rate can be given.
var rateUnits = []struct {
	name    string
	seconds float64
}{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}

func (s *keyScope) UnmarshalText(text []byte) error {
	switch scope := store.Scope(text); scope {
	case store.ScopeVerify, store.ScopeBulk, store.ScopeUsage:
		*s = keyScope(scope)
		return nil
	}
	return fmt.Errorf("%q is not a scope: use verify, bulk or usage, several with commas between them", text)
}

func (r *requestRate) UnmarshalText(text []byte) error {
	const least, most = 0.01, 1e6 // the one as given, the other a second: beyond what a server answers
	number, name, found := strings.Cut(string(text), "/")
	if !found {
		name = rateUnits[0].name
	}
	requests, err := strconv.ParseFloat(number, 64)
	for _, unit := range rateUnits {
		if perSecond := requests / unit.seconds; err == nil && unit.name == name && requests >= least && perSecond <= most {
			*r = requestRate{perSecond, requests}
			return nil
		}
	}
	return fmt.Errorf("%q is not a rate: write requests in a second, minute, hour or day, such as 10/s or 600/m", text)
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
