package verdictcache

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dgraph-io/ristretto/v2"

	"github.com/rcpt/rcpt/engine"
)

const (
	// entryOctets is what a usual result takes up: the unit in which the memory is configured.
	entryOctets = 1500
	// frontBuffer and frontCounters are as ristretto advises.
	memoryBuffer   = 64
	memoryCounters = 10
	// spellingsShare is what part of that room the spellings of international domains have on top, and spellingOctets what one takes up.
	spellingsShare = 20
	spellingOctets = 200
)

// front is the memory of this process. It is bounded in octets, and may forget at any time.
type memory struct {
	cache     *ristretto.Cache[uint64, *remembered]
	spellings *ristretto.Cache[string, mailbox] // of international domains
	seed      maphash.Seed
}

// remembered is a result with when it ends. Nobody changes it.
type remembered struct {
	result     engine.Result
	local      string // unquoted
	generation uint64
	expires    time.Time
	retryAt    time.Time
}

func newMemory(entries int) (*memory, error) {
	cache, err := ristretto.NewCache(&ristretto.Config[uint64, *remembered]{
		NumCounters: int64(entries) * memoryCounters,
		MaxCost:     int64(entries) * entryOctets,
		BufferItems: memoryBuffer,
	})
	if err != nil {
		return nil, fmt.Errorf("verdictcache: memory: %w", err)
	}
	spellings, err := ristretto.NewCache(&ristretto.Config[string, mailbox]{
		NumCounters: int64(entries) * memoryCounters / spellingsShare,
		MaxCost:     int64(entries) * entryOctets / spellingsShare,
		BufferItems: memoryBuffer,
	})
	if err != nil {
		cache.Close()
		return nil, fmt.Errorf("verdictcache: memory of spellings: %w", err)
	}
	return &memory{cache, spellings, maphash.MakeSeed()}, nil
}

// read parses an address. To bring an international domain into A-labels takes longer than all the rest of a recall, so that is remembered, too.
func (f *memory) read(given string) (mailbox, bool) {
	if !international(given) {
		return read(given)
	}
	if m, ok := f.spellings.Get(given); ok && m.given == given {
		return m, true
	}
	m, ok := read(strings.Clone(given))
	if ok {
		f.spellings.Set(given, m, int64(spellingOctets+2*len(given)))
	}
	return m, ok
}

// international tells whether a domain may have to be converted; a local-part beyond ASCII makes it true, too.
func international(given string) bool {
	return strings.ContainsFunc(given, func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains(given, "xn--")
}

// key is a hash rather than the mailbox, which would have to be put together for each look-up. Two mailboxes may share one: get compares.
func (f *memory) key(m mailbox) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	_, _ = h.WriteString(m.local)
	_ = h.WriteByte('@')
	_, _ = h.WriteString(m.parts.Domain)
	return h.Sum64()
}

func (f *memory) get(m mailbox) (*remembered, bool) {
	kept, ok := f.cache.Get(f.key(m))
	if !ok || kept.local != m.local || kept.result.Domain != m.parts.Domain {
		return nil, false
	}
	return kept, true
}

func (f *memory) put(m mailbox, kept *remembered, lasts time.Duration) {
	f.cache.SetWithTTL(f.key(m), kept, int64(kept.result.Octets()+len(m.local)), lasts)
}

// entries counts the results. The library does not: with its own figures switched on it would count at each look-up.
func (f *memory) entries() (n int) {
	f.cache.IterValues(func(*remembered) (stop bool) { n++; return false })
	return n
}

// clear leaves the spellings: they depend on nothing.
func (f *memory) clear() { f.cache.Clear() }

func (f *memory) close() {
	f.cache.Close()
	f.spellings.Close()
}

// newRemembered makes a result one to remember. What callers give may be a part of a long request, which is not to be kept with it.
func newRemembered(m mailbox, r engine.Result, generation uint64, expires time.Time) *remembered {
	m, _ = read(strings.Clone(m.given))
	r.Email, r.User, r.Domain = m.given, m.parts.Local, m.parts.Domain
	details := *r.Details
	details.Cached = true
	r.Details = &details
	return &remembered{result: r, local: m.local, generation: generation, expires: expires, retryAt: r.RetryAt()}
}

// answer is the result for a caller who asks now, about the mailbox as the caller spells it. Only the details' lists are shared.
func (k *remembered) answer(m mailbox, now time.Time) engine.Result {
	result, details := k.result, *k.result.Details
	if !k.retryAt.IsZero() {
		details.RetryAfter = int64(math.Ceil(k.retryAt.Sub(now).Seconds()))
	}
	result.Details = &details
	m.spell(&result)
	return result
}
