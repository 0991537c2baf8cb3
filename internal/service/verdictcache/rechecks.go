package verdictcache

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// maxRechecks limits the addresses that wait in memory for a re-check, of a few
// hundred octets each. Further ones are dropped: their callers have to ask
// again themselves.
const maxRechecks = 10_000

// rechecks holds the addresses that are to be re-checked; *[store.Store] is
// one.
type rechecks interface {
	ScheduleRecheck(r store.Recheck)
	ClaimRechecks(ctx context.Context, egress string, limit int, lease time.Duration) ([]store.Recheck, error)
	FinishRecheck(ctx context.Context, r store.Recheck) error
	PostponeRecheck(ctx context.Context, r store.Recheck, until time.Time) error
	Rechecks(ctx context.Context) (waiting int, err error)
}

// memoryRechecks is used without a store. It belongs to one Cache, so a claim
// needs only a time at which it ends.
type memoryRechecks struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[string]*recheckEntry
	dropped int64
}

type recheckEntry struct {
	store.Recheck
	leased time.Time // until then
}

func newMemoryRechecks(now func() time.Time) *memoryRechecks {
	return &memoryRechecks{now: now, entries: map[string]*recheckEntry{}}
}

// ScheduleRecheck does as the store's method does.
func (a *memoryRechecks) ScheduleRecheck(r store.Recheck) {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry, ok := a.entries[r.Address]
	switch {
	case ok && !a.now().Before(entry.leased):
		entry.RunAfter, entry.Egress = r.RunAfter, r.Egress
	case !ok && len(a.entries) < maxRechecks:
		a.entries[r.Address] = &recheckEntry{Recheck: r}
	case !ok:
		a.dropped++
	}
}

// ClaimRechecks returns what is due from the egress, the longest due first, and
// drops what has expired.
func (a *memoryRechecks) ClaimRechecks(
	_ context.Context, egress string, limit int, lease time.Duration,
) ([]store.Recheck, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	var due []*recheckEntry
	for address, entry := range a.entries {
		switch {
		case now.Before(entry.leased):
		case !now.Before(entry.GiveUp):
			delete(a.entries, address)
		case entry.Egress == egress && !now.Before(entry.RunAfter):
			due = append(due, entry)
		}
	}
	slices.SortFunc(due, func(a, b *recheckEntry) int { return a.RunAfter.Compare(b.RunAfter) })
	var claimed []store.Recheck
	for _, entry := range due[:min(limit, len(due))] {
		entry.leased = now.Add(lease)
		entry.Attempts++
		claimed = append(claimed, entry.Recheck)
	}
	return claimed, nil
}

// FinishRecheck drops a claimed address.
func (a *memoryRechecks) FinishRecheck(_ context.Context, r store.Recheck) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.entries, r.Address)
	return nil
}

// PostponeRecheck gives a claimed address back.
func (a *memoryRechecks) PostponeRecheck(_ context.Context, r store.Recheck, until time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if entry, ok := a.entries[r.Address]; ok {
		entry.RunAfter, entry.leased = until, time.Time{}
	}
	return nil
}

// Rechecks returns how many addresses wait.
func (a *memoryRechecks) Rechecks(context.Context) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.entries), nil
}

func (a *memoryRechecks) droppedSoFar() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dropped
}
