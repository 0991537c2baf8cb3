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
	store *ristretto.Cache[string, *remembered]
}

type remembered struct {
	result  Result
	expires time.Time
}

// newMemory returns a memory for about that many results; none for zero.
func newMemory(results int) (*memory, error) {
	if results == 0 {
		return &memory{}, nil
	}
	store, err := ristretto.NewCache(&ristretto.Config[string, *remembered]{
		NumCounters: int64(results) * resultsCounters,
		MaxCost:     int64(results) * resultCost,
		BufferItems: resultsBuffer,
		ShouldUpdate: func(new, known *remembered) bool {
			now := time.Now()
			return !now.Before(known.expires) || known.result.Ahead(now) || new.result.Replaces(known.result)
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
	if now := time.Now(); !ok || !now.Before(kept.expires) || kept.result.Ahead(now) {
		return Result{}, false
	}
	result, details := kept.result, *kept.result.Details
	result.Details = &details
	return result, true
}

// keep remembers a result for as long as it lasts, unless what is remembered is
// worth more.
func (m *memory) keep(address string, r Result) {
	lasts := r.Lasts()
	if m.store == nil || lasts <= 0 {
		return
	}
	details := *r.Details
	details.Cached = true
	r.Details = &details
	kept := &remembered{result: r, expires: details.CheckedAt.Add(lasts)}
	m.store.SetWithTTL(address, kept, int64(len(address)+r.Size()), lasts)
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
