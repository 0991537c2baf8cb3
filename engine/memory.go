package engine

import (
	"fmt"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

// How long a result is believed, by its verdict. What a mail host said of a mailbox changes seldom; what it said of us, or the DNS of a name
// that is not there, may change soon.
const (
	keepDeliverable   = 12 * time.Hour
	keepAcceptAll     = 12 * time.Hour
	keepUndeliverable = time.Hour
	keepUnknown       = 10 * time.Minute // or until it is worth asking again, if that is sooner
)

const (
	// resultCost is what a result takes up, in octets, about; what strangers can make long is counted beside it.
	resultCost = 1500
	lineCost   = 40 // of a line of the transcript, without its text
	mxCost     = 24 // of a mail exchanger, without its name
	// resultsBuffer and resultsCounters are as ristretto advises.
	resultsBuffer   = 64
	resultsCounters = 10
)

// memory keeps results, so that an address that is asked about again costs its mail host nothing. It may forget at any time.
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
	})
	if err != nil {
		return nil, fmt.Errorf("engine: memory of results: %w", err)
	}
	return &memory{store}, nil
}

// recall returns what is remembered of an address, in the spelling in which it was given.
func (m *memory) recall(address string) (Result, bool) {
	if m.store == nil {
		return Result{}, false
	}
	kept, ok := m.store.Get(address)
	if !ok || !time.Now().Before(kept.expires) {
		return Result{}, false
	}
	result, details := kept.result, *kept.result.Details
	result.Details = &details
	return result, true
}

// keep remembers a result for as long as it is to be believed.
func (m *memory) keep(address string, r Result) {
	lasts := r.lasts()
	if m.store == nil || lasts <= 0 {
		return
	}
	details := *r.Details
	details.Cached = true
	r.Details = &details
	m.store.SetWithTTL(address, &remembered{result: r, expires: details.CheckedAt.Add(lasts)}, r.cost(address), lasts)
}

// cost is about how many octets it takes to remember the result.
func (r *Result) cost(address string) int64 {
	cost := resultCost + len(address) + len(r.Email) + len(r.User) + len(r.Details.Suggestion)
	if r.Details.SMTP != nil {
		cost += len(r.Details.SMTP.Text)
	}
	for _, exchanger := range r.Details.MX {
		cost += mxCost + len(exchanger.Host)
	}
	for _, line := range r.Details.Transcript {
		cost += lineCost + len(line.Text)
	}
	return int64(cost)
}

// lasts is how long the result is to be believed; zero: not beyond this once.
func (r *Result) lasts() time.Duration {
	switch {
	case !r.Success || r.Details == nil || r.Details.CheckedAt.IsZero():
		return 0
	case r.Verdict == Deliverable:
		return keepDeliverable
	case r.Verdict == AcceptAll:
		return keepAcceptAll
	case r.Verdict == Undeliverable:
		return keepUndeliverable
	case r.Details.RetryAfter > 0:
		return min(keepUnknown, time.Duration(r.Details.RetryAfter)*time.Second)
	}
	return keepUnknown
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
