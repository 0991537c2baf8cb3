package keyring

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// busyHint is how long to wait for a request of the same key to end, which
	// cannot be known.
	busyHint = time.Second
	// touchEvery is the precision of the time of a key's last use.
	touchEvery = time.Second
)

// Grant is the permission to carry out one request. Its methods are not safe
// for concurrent use.
type Grant struct {
	ID   string // of the key
	Name string // of the key

	keyring *Keyring
	entry   *entry
	month   month // whose quota the request takes units of; zero: none
	units   int64 // of the quota
	tokens  int   // of the rate: one for each address
	cached  int   // addresses
	done    bool
}

// Admit grants a request about one address with a key, or returns
// [ErrUnauthorized], [ErrNetwork], [ErrScope], a *[LimitError], [ErrQuota] or
// [ErrUnavailable]. A refused request does not count against the limits. If no
// unit of the key's quota is reserved, Admit waits for the store, until ctx
// ends and for at most a few seconds. Only a verification takes a unit. The
// caller ends the request with [Grant.Done].
func (k *Keyring) Admit(ctx context.Context, text string, scope rows.Scope, from netip.Addr) (*Grant, error) {
	g, err := k.AdmitOwed(text, scope, from)
	if err != nil || scope != rows.ScopeVerify {
		return g, err
	}
	if err := g.Pay(ctx, 1); err != nil {
		g.Free()
		g.Done(false)
		return nil, err
	}
	return g, nil
}

// AdmitOwed is [Keyring.Admit] without a unit of the quota, for a request that
// another one may have paid for.
func (k *Keyring) AdmitOwed(text string, scope rows.Scope, from netip.Addr) (*Grant, error) {
	now := k.now()
	e := k.table.Load().byHash[rows.HashOf(text)]
	if e == nil {
		return nil, ErrUnauthorized
	}
	if err := e.accepts(now, scope, from); err != nil {
		return nil, err
	}
	k.touch(e, now)
	if !e.enter() {
		return nil, &LimitError{ConcurrencyLimit, busyHint, e.rate(k.elapsed(now))}
	}
	if wait := e.spend(k.elapsed(now), probedCost); wait > 0 {
		e.leave()
		return nil, &LimitError{RateLimit, wait, e.rate(k.elapsed(now))}
	}
	return &Grant{ID: e.key.ID, Name: e.key.Name, keyring: k, entry: e, tokens: 1}, nil
}

// More takes rate for n more addresses, or nothing. The errors are a
// *[LimitError] and a *[TooManyError].
func (g *Grant) More(n int) error {
	e, at := g.entry, g.keyring.elapsed(g.keyring.now())
	if most := e.bucket.size; e.bucket.limits() && int64(g.tokens+n) > most {
		return &TooManyError{most}
	}
	if wait := e.spend(at, n*probedCost); wait > 0 {
		return &LimitError{RateLimit, wait, e.rate(at)}
	}
	g.tokens += n
	return nil
}

// Pay sees to it that the request has n units of the quota: it takes those that
// are missing, or none, and gives back those that are too many. The errors are
// those of [Keyring.Admit] about the quota.
func (g *Grant) Pay(ctx context.Context, n int) error {
	before := g.units
	g.Unanswered(int(before) - n)
	for g.entry.key.MonthlyQuota > 0 && g.units < int64(n) {
		if err := g.takeUnit(ctx); err != nil {
			g.Unanswered(int(g.units - before))
			return err
		}
	}
	return nil
}

// takeUnit takes a unit of the quota of this month. Units of the month before
// are not worth giving back.
func (g *Grant) takeUnit(ctx context.Context) error {
	m, err := g.keyring.takeUnit(ctx, g.entry, g.keyring.now())
	switch {
	case err != nil:
		return err
	case m != g.month:
		g.month, g.units = m, 0
	}
	g.units++
	return nil
}

// touch stores the time of the last use, at most once in touchEvery.
func (k *Keyring) touch(e *entry, now time.Time) {
	at, before := now.UnixMilli(), e.touched.Load()
	if at-before >= touchEvery.Milliseconds() && e.touched.CompareAndSwap(before, at) {
		k.store.TouchKey(e.key.ID, now)
	}
}

// Cached notes that the result of one more address was remembered, and gives
// back the difference in cost.
func (g *Grant) Cached() {
	if g.cached < g.tokens {
		g.cached++
		g.entry.refund(probedCost - rememberedCost)
	}
}

// Free gives back the request's share of the rate, because an invalid request
// is free.
func (g *Grant) Free() {
	g.entry.refund(g.tokens*probedCost - g.cached*(probedCost-rememberedCost))
	g.tokens, g.cached = 0, 0
}

// Unanswered gives back the units of n addresses that were not answered.
func (g *Grant) Unanswered(n int) {
	if n := min(int64(n), g.units); n > 0 {
		g.units -= n
		g.entry.quota.putBack(g.month, n)
	}
}

// Rate returns the state of the key's rate limit.
func (g *Grant) Rate() Rate { return g.entry.rate(g.keyring.elapsed(g.keyring.now())) }

// Test tells whether the key is a test key.
func (g *Grant) Test() bool { return g.entry.key.Test }

// Key is the key, with its limits.
func (g *Grant) Key() rows.Key { return g.entry.snapshot() }

// Before returns the IDs of the keys that the key has replaced: the latest
// first.
func (g *Grant) Before() []string { return slices.Clone(g.entry.before) }

// Done ends the request. One that was not answered gives its units of the quota
// back.
func (g *Grant) Done(answered bool) {
	if g.done {
		return
	}
	g.done = true
	g.entry.leave()
	if !answered {
		g.Unanswered(int(g.units))
	}
}
