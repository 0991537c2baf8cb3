package engine

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/lru"
)

// resultCost is the approximate size of a result in octets.
var resultCost = rcpt.Result{}.Size()

// memory keeps results, so that an address that is asked about again costs its
// mail host nothing. It may drop any of them at any time.
type memory struct {
	store *lru.Cache[string, *rcpt.Result]
}

// newMemory returns a memory for about that many results; none for zero.
func newMemory(results int) *memory {
	return &memory{lru.New[string, *rcpt.Result](int64(results) * int64(resultCost))}
}

// recall returns the remembered result of an address, in the spelling in which
// it was given.
func (m *memory) recall(address string) (rcpt.Result, bool) {
	kept, ok := m.store.Get(address)
	now := time.Now()
	if !ok || !kept.Reusable(now) {
		return rcpt.Result{}, false
	}
	result, details := *kept, *kept.Details
	details.Age = max(0, now.Sub(kept.CheckedAt.Add(details.Duration)))
	result.Details = &details
	return result, true
}

// keep remembers a result for as long as it lasts, unless what is remembered is
// worth more.
func (m *memory) keep(address string, r rcpt.Result) {
	now := time.Now()
	if !r.Reusable(now) {
		return
	}
	details := *r.Details
	details.Cached = true
	r.Details = &details
	m.store.PutUnless(address, &r, int64(len(address)+r.Size()), func(known *rcpt.Result) bool {
		return known.Reusable(now) && !r.Replaces(*known)
	})
}

// forget drops everything.
func (m *memory) forget() { m.store.Clear() }
