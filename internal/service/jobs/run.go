package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// run works on a job while it has batches that are due. It is the source and
// the sink of a run of package bulk: addresses of leased batches go in, and
// their results come out as they are final.
type run struct {
	manager *Manager
	job     rows.Job
	stopped chan struct{}
	ended   chan struct{}
	freed   chan struct{} // has something when addresses have left the window
	room    atomic.Int64  // verifications that may be in progress
	// progress is the last of the run of package bulk.
	progress atomic.Pointer[bulk.Progress]

	// order is held from the making of a settlement until it is in the queue,
	// so that those of one batch are committed in their order.
	order sync.Mutex

	mu      sync.Mutex
	open    map[lease]*open
	ready   []bulk.Item     // of the batch leased last
	flying  int             // addresses that are leased and not settled
	large   int             // of them: in batches of one domain
	domains map[string]int  // open batches by domain
	held    map[int64]int64 // claims of the batches that the store has for this node, by their ID
	failed  string          // why the job cannot go on
	told    time.Time       // when it was told to stop; zero: not yet
	over    bool            // everything was given back: what is leased now is given back at once
}

// lease names a batch with its claim. A node that is given up for lost by
// mistake may have one that others had in between, and have it twice.
type lease struct{ id, claim int64 }

func leaseOf(b *rows.Batch) lease { return lease{b.ID, b.Claim} }

// place is where an address stands: its lease, and its number there.
type place struct {
	lease
	number int
}

func (p place) octets() []byte {
	to := binary.AppendUvarint(nil, uint64(p.id))
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(p.claim)), uint64(p.number))
}

func placeIn(octets []byte) place {
	f := fields{left: octets}
	return place{lease{int64(f.number()), int64(f.number())}, int(f.number())}
}

// open is a leased batch. Its addresses leave it one by one.
type open struct {
	batch   rows.Batch
	entries []entry
	left    int    // without an outcome
	done    []bool // by number of the entry
	octets  []byte // of results that are not settled
	counts  map[[2]string]int64
	groups  groupCounts
	later   []retried
	since   time.Time // of the last settlement

	freedBefore int // addresses that settlements have counted
}

// retried is an address that is asked about again.
type retried struct {
	entry
	due time.Time
}

func newRun(m *Manager, j rows.Job) *run {
	r := &run{
		manager: m, job: j, stopped: make(chan struct{}), ended: make(chan struct{}),
		freed: make(chan struct{}, 1), open: make(map[lease]*open),
		domains: make(map[string]int), held: make(map[int64]int64),
	}
	r.progress.Store(&bulk.Progress{})
	return r
}

// stop ends the run without waiting for it.
func (r *run) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told.IsZero() {
		r.told = time.Now()
		close(r.stopped)
	}
}

// work runs until no batch is due or the run is stopped. What was begun and is
// not done is given back.
func (r *run) work(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	log := r.manager.config.Log.With(slog.String("job", r.job.ID))
	_, err := bulk.Run(ctx, r, r, bulk.Options{
		Verifier:    r.manager.config.Verifier,
		Concurrency: r.manager.config.Concurrency,
		Room:        func() int { return int(r.room.Load()) },
		NoReuse:     true, // a retry must not get the answer before
		Unordered:   true,
		Offline:     func() bool { return r.manager.network.fault() != "" },
		Progress:    func(p bulk.Progress) { r.progress.Store(&p) },
		Trim:        trim,
		SpillDir:    r.manager.config.TempDir,
		Logger:      log,
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, engine.ErrClosed) {
		log.Error("a job is interrupted", "error", err)
	}
	r.giveBack()
}

// trim keeps of a result what is stored.
func trim(result rcpt.Result) rcpt.Result {
	if d := result.Details; d != nil {
		result.Details = &rcpt.Details{CatchAll: d.CatchAll, Duration: d.Duration, Age: d.Age}
	}
	return result
}

// Next returns the next address. It leases batches as the window has room, and
// ends where none is due and none is open.
func (r *run) Next(ctx context.Context) (bulk.Item, error) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		if item, ok := r.takeReady(); ok {
			return item, nil
		}
		leased, err := r.lease(ctx)
		if err != nil {
			return bulk.Item{}, err
		}
		if leased > 0 {
			continue
		}
		if r.idle() {
			return bulk.Item{}, io.EOF
		}
		select {
		case <-r.freed:
		case <-poll.C:
		case <-ctx.Done():
			return bulk.Item{}, ctx.Err()
		}
	}
}

func (r *run) takeReady() (bulk.Item, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ready) == 0 {
		return bulk.Item{}, false
	}
	next := r.ready[0]
	r.ready = r.ready[1:]
	return next, true
}

func (r *run) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flying == 0
}

// lease leases batches for which there is room.
func (r *run) lease(ctx context.Context) (int, error) {
	window := r.manager.config.Window
	q := rows.BatchQuery{Job: r.job.ID, Node: r.manager.node, Egress: r.manager.config.Egress}
	r.mu.Lock()
	q.Limit = min((window-r.flying)/batchAddresses, 4)
	if r.flying == 0 {
		q.Limit = max(1, q.Limit)
	}
	q.Held = r.flying
	q.Small = r.large >= window*largeShare/largeShareOf
	for domain, n := range r.domains {
		if n >= largeOpen {
			q.Except = append(q.Except, domain)
		}
	}
	full := q.Limit <= 0 || r.failed != ""
	r.mu.Unlock()
	if full {
		return 0, nil
	}
	if len(q.Except) > maxExcept {
		q.Small, q.Except = true, nil
	}
	var batches []rows.Batch
	err := r.manager.freeUnknown(ctx, r.job.ID, r.holds)
	if err == nil {
		if batches, err = r.manager.config.Store.LeaseBatches(ctx, q); err != nil {
			r.manager.doubt(r.job.ID)
		}
	}
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, rows.ErrUnavailable) {
			r.manager.config.Log.Warn("no batches can be leased at the moment", "error", err)
			return 0, r.pause(ctx)
		}
		return 0, err
	}
	for _, b := range batches {
		if err := r.take(b); err != nil {
			r.fail(b, err)
		}
	}
	return len(batches), nil
}

// holds returns the batches that the store has for this node.
func (r *run) holds() map[int64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := make(map[int64]bool, len(r.held))
	for id := range r.held {
		held[id] = true
	}
	return held
}

// maxExcept bounds the domains that a lease names.
const maxExcept = 50

// pause waits while the store is not available.
func (r *run) pause(ctx context.Context) error {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take opens a leased batch, or gives it back if the run is over.
func (r *run) take(b rows.Batch) error {
	entries, err := unpackEntries(part{partBatch, r.job.ID, b.Segment}, b.Data)
	if err == nil && len(entries) != b.Addresses {
		err = ErrDamaged
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		back := rows.Settlement{Batch: b, Left: &b, Release: true}
		r.manager.settler.add(settling{Settlement: back, job: r.job})
		return nil
	}
	b.Data = nil
	r.held[b.ID] = b.Claim
	r.open[leaseOf(&b)] = &open{
		batch: b, entries: entries, left: len(entries),
		done: make([]bool, len(entries)), since: r.manager.config.Now(),
	}
	r.flying += len(entries)
	if b.Domain != "" {
		r.large += len(entries)
		r.domains[b.Domain]++
	}
	for i, e := range entries {
		r.ready = append(r.ready, bulk.Item{Email: e.email, Row: place{leaseOf(&b), i}.octets()})
	}
	return nil
}

// fail ends the job: a batch of it cannot be read.
func (r *run) fail(b rows.Batch, err error) {
	r.mu.Lock()
	r.failed = err.Error()
	r.mu.Unlock()
	r.manager.config.Log.Error("a job fails: a batch of it cannot be read",
		"job", r.job.ID, "batch", b.ID, "error", err)
	r.manager.settler.add(settling{Settlement: rows.Settlement{Batch: b, Left: &b, Failed: err.Error()}, job: r.job})
}
