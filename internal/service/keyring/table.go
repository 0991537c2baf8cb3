package keyring

import (
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// FixedID is the ID of the fixed key, which is not in the store, and
// FixedTestID the one that it has if its text begins with [TestPrefix].
const (
	FixedID     = "fixed"
	FixedTestID = "testkey_fixed"
)

// FixedIDOf is the ID of a fixed key; empty: there is no key.
func FixedIDOf(text string) string {
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, TestPrefix):
		return FixedTestID
	}
	return FixedID
}

// table is the keys at one moment. It does not change.
type table struct {
	version int64 // of the keys in the store
	byHash  map[rows.Hash]*entry
	all     []*entry // in the order of the store, without the fixed key
}

// entry is a key as it was read, with state that survives the next reading.
type entry struct {
	key    rows.Key
	bucket bucket
	policy string
	before []string // the IDs of the keys that it replaced, one after the other
	*state
}

// state is the state of a key on this node.
type state struct {
	revoked atomic.Bool  // by this Keyring, permanently
	fullAt  atomic.Int64 // of the bucket, a [time.Duration]
	running atomic.Int64 // requests
	touched atomic.Int64 // last use that was stored, in milliseconds since 1970
	quota   quota
}

func newEntry(key rows.Key, s *state) *entry {
	key.Burst = BurstOf(key)
	b := newBucket(key.RatePerSecond, key.Burst)
	return &entry{key: key, bucket: b, policy: policy(key.RatePerSecond, b.size), state: s}
}

// newTable makes the table of the keys. Those that were in old keep their
// state.
func newTable(version int64, keys []rows.Key, fixed *entry, old *table) *table {
	known := make(map[string]*state, len(keys))
	if old != nil {
		for _, e := range old.all {
			known[e.key.ID] = e.state
		}
	}
	t := &table{version, make(map[rows.Hash]*entry, len(keys)+1), make([]*entry, 0, len(keys))}
	replaced := make(map[string]string)
	for _, key := range keys {
		if key.Replaces != "" {
			replaced[key.ID] = key.Replaces
		}
	}
	for _, key := range keys {
		s := known[key.ID]
		if s == nil {
			s = new(state)
		}
		e := newEntry(key, s)
		e.before = before(key.ID, replaced)
		t.all = append(t.all, e)
		t.byHash[key.Hash] = e
	}
	if fixed != nil {
		t.byHash[fixed.key.Hash] = fixed
	}
	return t
}

// before returns the keys that led to a key, each of which replaced the one
// after it.
func before(id string, replaced map[string]string) (all []string) {
	for older := replaced[id]; older != "" && !slices.Contains(all, older); older = replaced[older] {
		all = append(all, older)
	}
	return all
}

// accepts reports whether the key may be used now, from this address, for this
// scope.
func (e *entry) accepts(now time.Time, scope rows.Scope, from netip.Addr) error {
	switch {
	case e.revoked.Load() || !e.key.Usable(now):
		return ErrUnauthorized
	case !e.reachableFrom(from):
		return ErrNetwork
	case !e.key.May(scope):
		return ErrScope
	}
	return nil
}

func (e *entry) reachableFrom(from netip.Addr) bool {
	from = from.Unmap().WithZone("")
	has := func(n netip.Prefix) bool { return n.Contains(from) }
	return len(e.key.Networks) == 0 || slices.ContainsFunc(e.key.Networks, has)
}

// enter counts a request that runs, if the key's limit allows it.
func (e *entry) enter() bool {
	if running := e.running.Add(1); e.key.Concurrency > 0 && running > int64(e.key.Concurrency) {
		e.leave()
		return false
	}
	return true
}

func (e *entry) leave() { e.running.Add(-1) }

// spend takes parts of tokens, or tells how long to wait for them.
func (e *entry) spend(at time.Duration, parts int) (wait time.Duration) {
	for e.bucket.limits() {
		state := e.fullAt.Load()
		next, wait := e.bucket.spend(time.Duration(state), at, parts)
		if e.fullAt.CompareAndSwap(state, int64(next)) {
			return wait
		}
	}
	return 0
}

// refund gives parts of a token back.
func (e *entry) refund(parts int) { e.fullAt.Add(-int64(parts) * int64(e.bucket.part)) }

// rate returns the state of the key's rate limit.
func (e *entry) rate(at time.Duration) Rate {
	if !e.bucket.limits() {
		return Rate{}
	}
	full := time.Duration(e.fullAt.Load())
	return Rate{e.bucket.size, e.bucket.tokens(full, at), e.bucket.untilFull(full, at), e.policy}
}

// snapshot returns the key, with the last use that this node knows.
func (e *entry) snapshot() rows.Key {
	key := e.key
	if used := e.touched.Load(); used > 0 && time.UnixMilli(used).After(key.LastUsed) {
		key.LastUsed = time.UnixMilli(used).UTC()
	}
	return key
}
