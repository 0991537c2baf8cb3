package keyring

import (
	"context"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/store"
)

const (
	// busyHint is how long to wait for a request of the same key to end; nobody knows when it will.
	busyHint = time.Second
	// touchEvery is how exactly the last use of a key is known.
	touchEvery = time.Second
)

// Grant is the leave to carry out one request. It belongs to that request; its methods are not for several goroutines at a time.
type Grant struct {
	ID   string // of the key
	Name string // of the key

	keyring *Keyring
	entry   *entry
	month   month // whose quota the request takes a unit of; zero: none
	cached  bool
	done    bool
}

// Admit lets a request through that shows a key, or says why not with [ErrUnauthorized], a *[LimitError], [ErrQuota] or [ErrUnavailable].
// What it refuses costs nothing. It waits for the store, and no longer than ctx and a few seconds, when no unit of the key's quota is at
// hand. Only a verification takes one. The caller ends the request with [Grant.Done].
func (k *Keyring) Admit(ctx context.Context, text string, scope store.Scope, from netip.Addr) (*Grant, error) {
	now := k.now()
	e := k.table.Load().byHash[store.HashOf(text)]
	if e == nil || !e.accepts(now, scope, from) {
		return nil, ErrUnauthorized
	}
	k.touch(e, now)
	if !e.enter() {
		return nil, &LimitError{ConcurrencyLimit, busyHint, e.rate(k.elapsed(now))}
	}
	if wait := e.spend(k.elapsed(now)); wait > 0 {
		e.leave()
		return nil, &LimitError{RateLimit, wait, e.rate(k.elapsed(now))}
	}
	g := &Grant{ID: e.key.ID, Name: e.key.Name, keyring: k, entry: e}
	if scope == store.ScopeVerify && e.key.MonthlyQuota > 0 {
		var err error
		if g.month, err = k.takeUnit(ctx, e, now); err != nil {
			e.refund(tokenParts)
			e.leave()
			return nil, err
		}
	}
	return g, nil
}

// touch tells the store of the use, now and then.
func (k *Keyring) touch(e *entry, now time.Time) {
	at, before := now.UnixMilli(), e.touched.Load()
	if at-before >= touchEvery.Milliseconds() && e.touched.CompareAndSwap(before, at) {
		k.store.TouchKey(e.key.ID, now)
	}
}

// Cached says that the answer was remembered, and gives back what it costs less than one that was asked for.
func (g *Grant) Cached() {
	if !g.cached {
		g.cached = true
		g.entry.refund(probedCost - rememberedCost)
	}
}

// Rate is where the key stands with its rate limit.
func (g *Grant) Rate() Rate { return g.entry.rate(g.keyring.elapsed(g.keyring.now())) }

// Key is the key, with its limits.
func (g *Grant) Key() store.Key { return g.entry.snapshot() }

// Done ends the request. A verification that was not answered gives its unit of the quota back.
func (g *Grant) Done(answered bool) {
	if g.done {
		return
	}
	g.done = true
	g.entry.leave()
	if !answered && g.month != 0 {
		g.entry.quota.putBack(g.month)
	}
}
