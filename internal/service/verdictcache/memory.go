package verdictcache

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dgraph-io/ristretto/v2"

	"github.com/rcpt/rcpt/engine"
)

const (
	// entryOctets is the size of a usual result: the unit in which the memory
	// is configured.
	entryOctets = 1500
	// bufferItems and countersByEntry are as ristretto advises.
	memoryBuffer   = 64
	memoryCounters = 10
	// spellingsShare is the part of that room that the spellings of
	// international domains have in addition, and spellingOctets the size of
	// one.
	spellingsShare = 20
	spellingOctets = 200
)

// memory is the cache of this process. It is bounded in octets and may drop any
// entry at any time.
type memory struct {
	cache     *ristretto.Cache[uint64, *remembered]
	spellings *ristretto.Cache[string, mailbox] // of international domains
	seed      maphash.Seed
}

// remembered is a result. It is never changed.
type remembered struct {
	result     engine.Result
	local      string // that of the mailbox
	generation uint64
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

// read parses an address. Converting an international domain to A-labels takes
// longer than the rest of a recall, so the outcome is kept.
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

// international reports whether a domain may have to be converted. It is also
// true for a non-ASCII local-part.
func international(given string) bool {
	nonASCII := func(r rune) bool { return r >= utf8.RuneSelf }
	return strings.ContainsFunc(given, nonASCII) || strings.Contains(given, "xn--")
}

// key is a hash, because the mailbox would have to be assembled for each
// look-up. Two mailboxes may share one: get compares.
func (f *memory) key(m mailbox) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	_, _ = h.WriteString(m.local)
	_ = h.WriteByte('@')
	_, _ = h.WriteString(m.parts.Domain())
	return h.Sum64()
}

func (f *memory) get(m mailbox) (*remembered, bool) {
	kept, ok := f.cache.Get(f.key(m))
	if !ok || kept.local != m.local || kept.result.Domain != m.parts.Domain() {
		return nil, false
	}
	return kept, true
}

func (f *memory) put(m mailbox, kept *remembered, lasts time.Duration) {
	f.cache.SetWithTTL(f.key(m), kept, int64(kept.result.Size()+len(m.local)), lasts)
}

// entries counts the results. If the library counted, it would do so at each
// look-up.
func (f *memory) entries() (n int) {
	f.cache.IterValues(func(*remembered) (stop bool) { n++; return false })
	return n
}

// clear keeps the spellings, which do not depend on lists or rules.
func (f *memory) clear() { f.cache.Clear() }

func (f *memory) close() {
	f.cache.Close()
	f.spellings.Close()
}

// newRemembered returns a result to remember. It copies texts of the caller,
// which may be part of a long request.
func newRemembered(m mailbox, r engine.Result, generation uint64) *remembered {
	m, _ = read(strings.Clone(m.given))
	r.Email, r.Local, r.Domain = m.given, m.parts.Local(), m.parts.Domain()
	details := *r.Details
	details.Cached = true
	r.Details = &details
	return &remembered{result: r, local: m.local, generation: generation}
}

// answer returns the result for a caller that asks now, with the mailbox in the
// caller's spelling. Only the lists of the details are shared.
func (k *remembered) answer(m mailbox, now time.Time) engine.Result {
	result, details := k.result, *k.result.Details
	details.Age = max(0, now.Sub(k.result.CheckedAt.Add(details.Duration)))
	result.Details = &details
	m.spell(&result)
	return result
}
