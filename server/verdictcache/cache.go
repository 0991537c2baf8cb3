package verdictcache

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/store"
)

// DefaultEntries is how many results are remembered in memory, about.
const DefaultEntries = 100_000

// Engine asks; *[engine.Verifier] is one. Its own memory ([engine.Config.Remember]) is best off.
type Engine interface {
	// VerifyAnew tells whether address can receive mail. The error is non-nil only when the verification itself could not be carried out.
	VerifyAnew(ctx context.Context, address string) (engine.Result, error)
}

// Config configures a [Cache].
type Config struct {
	// Engine does the work. Required.
	Engine Engine
	// Store is where verdicts outlive the process and are shared with other nodes. Default: none, memory only.
	Store *store.Store
	// Entries is the number of results to remember in memory, about; a result takes some 1.5 kB. Default: [DefaultEntries].
	Entries int
	// KeepNothing is for whoever wants no trace of an address: no memory, nothing in the store, no re-check. Callers who ask about one address at
	// the same time share an answer still.
	KeepNothing bool
	// Basis names what verdicts rest on besides the mail hosts' word: the edition of the lists, the rules, how deep the engine looks. A stored
	// verdict with another one is not recalled. It is called often and must be quick. Default: an empty name.
	Basis func() string
	// Egress names the way out to the mail hosts together with the sender that they see, since greylisting knows a client by both. Nodes with the
	// same name do each other's re-checks. Default: an empty name.
	Egress string
	// Timeout is how long a verification usually may take. Of one that a caller gave less time nothing is remembered but what a mail host said.
	// Default: [engine.DefaultTimeout].
	Timeout time.Duration
	// Log is told what goes wrong. Default: silent.
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
	if c.Basis == nil {
		c.Basis = func() string { return "" }
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
	calls      calls
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
	if c.memory, err = newMemory(config.Entries); err != nil {
		return nil, err
	}
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

// Verify is [Cache.Recall] and, where that has nothing, [Cache.VerifyAnew].
func (c *Cache) Verify(ctx context.Context, address string) (engine.Result, error) {
	m, ok := c.read(address)
	if !ok {
		return c.config.Engine.VerifyAnew(ctx, address)
	}
	if result, ok := c.remembered(ctx, m); ok {
		return result, nil
	}
	return c.ask(ctx, m)
}

// VerifyAnew asks, and remembers the answer. Callers who ask about one mailbox at the same time share a verification: it goes on while any of them
// is there, and each has its own time.
func (c *Cache) VerifyAnew(ctx context.Context, address string) (engine.Result, error) {
	m, ok := c.read(address)
	if !ok {
		return c.config.Engine.VerifyAnew(ctx, address)
	}
	return c.ask(ctx, m)
}

// Recall returns what is remembered of an address. It asks nobody but the store, and that not for long.
func (c *Cache) Recall(ctx context.Context, address string) (engine.Result, bool) {
	m, ok := c.read(address)
	if !ok {
		return engine.Result{}, false
	}
	return c.remembered(ctx, m)
}

// Forget drops everything that is remembered, on every node. It is to be called when something has changed that verdicts rest on, after the change:
// verifications that began before are not remembered either. After an error what is stored is dropped on this node only where [Config.Basis] has
// changed.
func (c *Cache) Forget(ctx context.Context) error {
	c.forgetHere()
	if c.stored == nil {
		return nil
	}
	return c.config.Store.ForgetVerdicts(ctx)
}

func (c *Cache) forgetHere() {
	c.generation.Add(1)
	c.calls.detach()
	if c.memory != nil {
		c.memory.clear()
	}
}

// remembered is recall with its outcome counted.
func (c *Cache) remembered(ctx context.Context, m mailbox) (engine.Result, bool) {
	result, from := c.recall(ctx, m)
	c.counts.recalled[from].Add(1)
	return result, from != nowhere
}

// recall looks in front and then behind.
func (c *Cache) recall(ctx context.Context, m mailbox) (engine.Result, source) {
	if c.memory == nil {
		return engine.Result{}, nowhere
	}
	now, generation := c.config.Now(), c.generation.Load()
	if kept, ok := c.memory.get(m); ok && kept.generation == generation && now.Before(kept.expires) {
		return kept.answer(m, now), fromMemory
	}
	if c.stored == nil {
		return engine.Result{}, nowhere
	}
	result, expires, ok := c.stored.get(ctx, m, c.config.Basis())
	if !ok || !now.Before(expires) {
		return engine.Result{}, nowhere
	}
	kept := newRemembered(m, result, generation, expires)
	c.memory.put(m, kept, expires.Sub(now))
	return kept.answer(m, now), fromStore
}
