package keyring

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Store is what a Keyring needs of a
// [github.com/rcpt/rcpt/internal/service/store.Store].
type Store interface {
	Keys(context.Context) ([]rows.Key, error)
	Versions(context.Context) (rows.Versions, error)
	Watch(ctx context.Context, seen rows.Versions, changed func(context.Context, rows.Versions) error)
	CreateKey(context.Context, rows.Actor, rows.Key) (rows.Key, error)
	UpdateKey(context.Context, rows.Actor, rows.Key) error
	RotateKey(ctx context.Context, by rows.Actor, id string, hash rows.Hash, until time.Time) (rows.Key, error)
	RevokeKey(ctx context.Context, by rows.Actor, id string) error
	TouchKey(id string, at time.Time)
	QuotaUsed(ctx context.Context, key string, at time.Time) (int64, error)
	ReserveQuota(ctx context.Context, key string, at time.Time, want, limit int64) (rows.Reservation, error)
	ReturnQuota(context.Context, rows.Reservation) error
}

// FixedVariable is the environment variable with the fixed key of a server.
// There is no flag for it: other users can see the flags of a process.
const FixedVariable = "RCPT_API_KEY"

// Config configures a [Keyring].
type Config struct {
	// Store has the keys and their quotas. Nil: there is only the fixed key.
	Store Store
	// Fixed is the text of one more key, which has the ID [FixedID], every
	// scope and no limits. Empty: none. A text that begins with [TestPrefix] is
	// that of a test key.
	Fixed string
	// Log receives failures of the store. Nil is silent.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Keyring holds the keys of an installation on one node. It is safe for
// concurrent use.
type Keyring struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
	fixed *entry // nil: none

	started time.Time // what times of buckets and blocks count from
	loading sync.Mutex
	table   atomic.Pointer[table]
	current atomic.Int64 // when the table was last known to be that of the store, since started
	away    atomic.Bool  // the keys could not be read for a while, and this was logged
	failing atomic.Bool  // quotas could not be reserved, and this was logged

	stop     context.CancelFunc
	mu       sync.Mutex // orders closed and routines
	closed   bool
	routines sync.WaitGroup
}

// Open reads the keys and begins to keep them current.
func Open(ctx context.Context, c Config) (*Keyring, error) {
	if c.Store == nil && c.Fixed == "" {
		return nil, errors.New("a keyring needs a store or a fixed key")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Store == nil {
		c.Store = noStore{}
	}
	k := &Keyring{store: c.Store, log: c.Log, now: c.Now, started: c.Now(), fixed: fixedEntry(c.Fixed)}
	seen, err := k.reload(ctx)
	if err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.Background())
	k.stop = stop
	if c.Store == (noStore{}) {
		return k, nil
	}
	k.routines.Go(func() { k.follow(background, seen) })
	k.routines.Go(func() { k.upkeep(background) })
	return k, nil
}

func fixedEntry(text string) *entry {
	if text == "" {
		return nil
	}
	scopes := []rows.Scope{rows.ScopeVerify, rows.ScopeBulk, rows.ScopeUsage}
	id := FixedIDOf(text)
	key := rows.Key{ID: id, Name: FixedID, Hash: rows.HashOf(text), Scopes: scopes, Test: rows.TestID(id)}
	return newEntry(key, new(state))
}

// Close ends the work in the background and returns what is left of reserved
// quotas. Call it when every [Grant] is done.
func (k *Keyring) Close() error {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.stop()
	k.routines.Wait()
	return k.giveBackAll()
}

// background runs f, unless the Keyring is closed.
func (k *Keyring) background(f func()) (runs bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.routines.Go(f)
	}
	return !k.closed
}

// elapsed is a time as buckets and blocks count it.
func (k *Keyring) elapsed(now time.Time) time.Duration { return now.Sub(k.started) }
