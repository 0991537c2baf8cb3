package verdictcache

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// DefaultEntries is how many results are remembered in memory, about.
const DefaultEntries = 100_000

// errOptions reports options that would make a result one of another kind.
var errOptions = errors.New("verdictcache: Fresh alone can be chosen of how to verify")

// Engine verifies addresses; *[engine.Verifier] is one. Its own memory
// ([engine.Config.MaxRemembered]) should be off.
type Engine interface {
	// VerifyWith tells whether address can receive mail. The error is non-nil
	// only when the verification itself could not be carried out.
	VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error)
	// VerifyGroup does the same for addresses of one domain, at less cost.
	VerifyGroup(
		ctx context.Context, addresses []string, o engine.GroupOptions,
		done func(i int, result rcpt.Result, err error),
	)
}

// Config configures a [Cache].
type Config struct {
	// Engine does the work. Required.
	Engine Engine
	// Store keeps verdicts beyond the process and shares them with other nodes.
	// Default: none, memory only.
	Store *store.Store
	// Entries is the approximate number of results in memory; a result takes
	// about 1.5 kB. Default: [DefaultEntries].
	Entries int
	// KeepNothing leaves no trace of an address: no memory, nothing in the
	// store, no re-check. Callers that ask about one address at the same time
	// still share an answer.
	KeepNothing bool
	// Keep is the longest time for which a result is remembered, and
	// RecheckFor how long a greylisted address is re-checked at most. Defaults:
	// those of [rows.Retention].
	Keep, RecheckFor time.Duration
	// Fingerprint identifies what verdicts depend on besides the replies of
	// mail hosts: the edition of the lists, the rules, the level. A stored
	// verdict with another fingerprint is not used. Fingerprint is called often
	// and must be quick. Default: an empty text.
	Fingerprint func() string
	// Egress names the egress together with the sender, because greylisting
	// knows a client by both. Nodes with the same name do each other's
	// re-checks. Default: an empty name.
	Egress string
	// Timeout is the usual time limit of a verification. If a caller allows
	// less, only what a mail host said is remembered. Default:
	// [engine.DefaultTimeout].
	Timeout time.Duration
	// Log receives failures. Default: silent.
	Log *slog.Logger
	// Now is the clock. Default: [time.Now].
	Now func() time.Time
}

func (c Config) withDefaults() (Config, error) {
	if c.Engine == nil {
		return c, errors.New("verdictcache: an engine is required")
	}
	if c.Entries < 0 || c.Timeout < 0 {
		return c, errors.New("verdictcache: entries and timeout must be positive")
	}
	if c.Entries == 0 {
		c.Entries = DefaultEntries
	}
	if c.Timeout == 0 {
		c.Timeout = engine.DefaultTimeout
	}
	kept := rows.Retention{Results: c.Keep, Rechecks: c.RecheckFor}.WithDefaults()
	c.Keep, c.RecheckFor = kept.Results, kept.Rechecks
	if c.Fingerprint == nil {
		c.Fingerprint = func() string { return "" }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

// Cache is an engine with a memory. It is safe for concurrent use.
type Cache struct {
	config     Config
	memory     *memory  // nil: nothing is kept
	stored     *stored  // nil: there is no store
	rechecks   rechecks // nil: nothing is kept
	calls      flight.Group[rcpt.Result]
	generation atomic.Uint64 // goes up when everything is forgotten
	counts     counts
}

// New returns a Cache. Close it when done, after [Cache.Run] has returned.
func New(config Config) (*Cache, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Cache{config: config}
	if config.KeepNothing {
		return c, nil
	}
	c.memory = newMemory(config.Entries)
	if config.Store == nil {
		c.rechecks = newMemoryRechecks(config.Now)
		return c, nil
	}
	c.rechecks = config.Store
	c.stored = &stored{store: config.Store, log: config.Log}
	return c, nil
}

// Close frees the memory.
func (c *Cache) Close() error {
	if c.memory != nil {
		c.memory.close()
	}
	return nil
}

// Verify returns what [Cache.Recall] does or, where that has nothing, verifies
// the address and remembers the result, as [Cache.VerifyWith] does.
func (c *Cache) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return c.VerifyWith(ctx, address, engine.VerifyOptions{})
}

// VerifyWith is [Cache.Verify]; with Fresh it does not look into the memory. A
// cache cannot be asked in another way, but for the time limit. Callers that
// ask about one mailbox with the same one at the same time share a
// verification. It goes on while any of them waits.
func (c *Cache) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	if o.Level != "" || o.Clean || o.Detach {
		return rcpt.Result{}, errOptions
	}
	m, ok := c.read(address)
	if !ok {
		return c.config.Engine.VerifyWith(ctx, address, o)
	}
	if !o.Fresh {
		if result, ok := c.remembered(ctx, m); ok {
			return result, nil
		}
	}
	return c.ask(ctx, m, o.Timeout)
}

// Recall returns the remembered result of an address. It asks only memory and
// the store, the latter for a short time.
func (c *Cache) Recall(ctx context.Context, address string) (rcpt.Result, bool) {
	m, ok := c.read(address)
	if !ok {
		return rcpt.Result{}, false
	}
	return c.remembered(ctx, m)
}

// Forget drops everything that is remembered, on every node. Call it after a
// change of something that verdicts rest on: verifications that began before
// are not remembered either. After an error, stored verdicts are dropped on
// this node only if [Config.Fingerprint] has changed.
func (c *Cache) Forget(ctx context.Context) error {
	c.forgetHere()
	if c.stored == nil {
		return nil
	}
	return c.config.Store.ForgetVerdicts(ctx)
}

func (c *Cache) forgetHere() {
	c.generation.Add(1)
	c.calls.Detach()
	if c.memory != nil {
		c.memory.clear()
	}
}

// remembered is recall with its outcome counted.
func (c *Cache) remembered(ctx context.Context, m mailbox) (rcpt.Result, bool) {
	result, from := c.recall(ctx, m)
	c.counts.recalled[from].Add(1)
	return result, from != nowhere
}

// recall looks in memory and then in the store.
func (c *Cache) recall(ctx context.Context, m mailbox) (rcpt.Result, source) {
	if c.memory == nil {
		return rcpt.Result{}, nowhere
	}
	now, generation := c.config.Now(), c.generation.Load()
	kept, ok := c.memory.get(m)
	if ok && kept.generation == generation && c.reusable(kept.result, now) {
		return kept.answer(m, now), fromMemory
	}
	if c.stored == nil {
		return rcpt.Result{}, nowhere
	}
	result, expires, ok := c.stored.get(ctx, m, c.config.Fingerprint())
	if !ok || !now.Before(expires) || !c.reusable(result, now) {
		return rcpt.Result{}, nowhere
	}
	kept = newRemembered(m, result, generation)
	c.memory.put(m, kept)
	return kept.answer(m, now), fromStore
}

// reusable reports whether a result is still remembered.
func (c *Cache) reusable(r rcpt.Result, now time.Time) bool {
	return r.Reusable(now) && now.Before(c.expires(r))
}

// expires is when a result is forgotten.
func (c *Cache) expires(r rcpt.Result) time.Time {
	own, most := r.Expires(), r.CheckedAt.Add(c.config.Keep)
	if most.Before(own) {
		return most
	}
	return own
}
