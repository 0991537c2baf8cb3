package verdictcache

import (
	"hash/maphash"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/lru"
)

const (
	// entryOctets is the size of a usual result: the unit in which the memory
	// is configured.
	entryOctets = 1500
	// spellingsShare is the part of that room that the spellings of
	// international domains have in addition, and spellingOctets the size of
	// one.
	spellingsShare = 20
	spellingOctets = 200
)

// memory is the cache of this process. It is bounded in octets and may drop any
// entry at any time.
type memory struct {
	cache     *lru.Cache[uint64, *remembered]
	spellings *lru.Cache[string, mailbox] // of international domains
	seed      maphash.Seed
}

// remembered is a result. It is never changed.
type remembered struct {
	result     rcpt.Result
	local      string // that of the mailbox
	generation uint64
}

func newMemory(entries int) *memory {
	octets := int64(entries) * entryOctets
	return &memory{
		cache:     lru.New[uint64, *remembered](octets),
		spellings: lru.New[string, mailbox](octets / spellingsShare),
		seed:      maphash.MakeSeed(),
	}
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
		f.spellings.Put(given, m, int64(spellingOctets+2*len(given)))
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

func (f *memory) put(m mailbox, kept *remembered) {
	f.cache.Put(f.key(m), kept, int64(kept.result.Size()+len(m.local)))
}

// entries counts the results, with those that have expired since.
func (f *memory) entries() int { return f.cache.Len() }

// clear keeps the spellings, which do not depend on lists or rules.
func (f *memory) clear() { f.cache.Clear() }

// close frees the memory.
func (f *memory) close() {
	f.cache.Clear()
	f.spellings.Clear()
}

// newRemembered returns a result to remember. It copies texts of the caller,
// which may be part of a long request.
func newRemembered(m mailbox, r rcpt.Result, generation uint64) *remembered {
	m, _ = read(strings.Clone(m.given))
	r.Email, r.Local, r.Domain = m.given, m.parts.Local(), m.parts.Domain()
	details := *r.Details
	details.Cached = true
	r.Details = &details
	return &remembered{result: r, local: m.local, generation: generation}
}

// answer returns the result for a caller that asks now, with the mailbox in the
// caller's spelling. Only the lists of the details are shared.
func (k *remembered) answer(m mailbox, now time.Time) rcpt.Result {
	result, details := k.result, *k.result.Details
	details.Age = max(0, now.Sub(k.result.CheckedAt.Add(details.Duration)))
	result.Details = &details
	m.spell(&result)
	return result
}
