package engine

import (
	"fmt"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

const (
	// resultCost is the approximate size of a result in octets.
	resultCost = 1500
	// resultsBuffer and resultsCounters are as ristretto advises.
	resultsBuffer   = 64
	resultsCounters = 10
)

// memory keeps results, so that an address that is asked about again costs its
// mail host nothing. It may drop any of them at any time.
type memory struct {
	store *ristretto.Cache[string, *Result]
}

// newMemory returns a memory for about that many results; none for zero.
func newMemory(results int) (*memory, error) {
	if results == 0 {
		return &memory{}, nil
	}
	store, err := ristretto.NewCache(&ristretto.Config[string, *Result]{
		NumCounters: int64(results) * resultsCounters,
		MaxCost:     int64(results) * resultCost,
		BufferItems: resultsBuffer,
		ShouldUpdate: func(new, known *Result) bool {
			return !known.Reusable(time.Now()) || new.Replaces(*known)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("engine: memory of results: %w", err)
	}
	return &memory{store}, nil
}

// recall returns the remembered result of an address, in the spelling in which
// it was given.
func (m *memory) recall(address string) (Result, bool) {
	if m.store == nil {
		return Result{}, false
	}
	kept, ok := m.store.Get(address)
	now := time.Now()
	if !ok || !kept.Reusable(now) {
		return Result{}, false
	}
	result, details := *kept, *kept.Details
	details.Age = max(0, now.Sub(kept.CheckedAt.Add(details.Duration)))
	result.Details = &details
	return result, true
}

// keep remembers a result for as long as it lasts, unless what is remembered is
// worth more.
func (m *memory) keep(address string, r Result) {
	now := time.Now()
	if m.store == nil || !r.Reusable(now) {
		return
	}
	details := *r.Details
	details.Cached = true
	r.Details = &details
	m.store.SetWithTTL(address, &r, int64(len(address)+r.Size()), r.Expires().Sub(now))
}

// forget drops everything.
func (m *memory) forget() {
	if m.store != nil {
		m.store.Clear()
	}
}

func (m *memory) close() {
	if m.store != nil {
		m.store.Close()
	}
}
