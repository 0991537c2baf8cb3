package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/sandbox"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// run works on a job while it has batches that are due. It is the source and
// the sink of a run of package bulk: addresses of leased batches go in, and
// their results come out as they are final. The plan says what it leases and
// when it ends.
type run struct {
	manager *Manager
	id      schedule.RunID
	job     rows.Job
	ctx     context.Context // of its verifications and leases
	cancel  context.CancelFunc
	gone    chan struct{} // closed when nothing is left of it
	more    chan struct{} // has something when there may be a next address
	room    atomic.Int64  // verifications that may be in progress
	// progress is the last of the run of package bulk.
	progress atomic.Pointer[bulk.Progress]

	// The lock of the manager guards the rest.
	open     map[schedule.Lease]*open
	ready    []bulk.Item // of open batches
	finished bool        // there are no further ones
}

// place is where an address stands: its lease, and its number there.
type place struct {
	schedule.Lease
	number int
}

func (p place) octets() []byte {
	to := binary.AppendUvarint(nil, uint64(p.ID))
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(p.Claim)), uint64(p.number))
}

func placeIn(octets []byte) place {
	f := fields{left: octets}
	return place{schedule.Lease{ID: int64(f.number()), Claim: int64(f.number())}, int(f.number())}
}

// beginRun begins a run. The caller has locked m.mu.
func (m *Manager) beginRun(a schedule.Action) {
	r := &run{
		manager: m, id: a.Run, job: m.active[a.List.ID], gone: make(chan struct{}), more: make(chan struct{}, 1),
		open: make(map[schedule.Lease]*open),
	}
	r.ctx, r.cancel = context.WithCancel(m.calls.settling)
	r.progress.Store(&bulk.Progress{})
	m.runs[a.Run] = r
	m.works.Go(func() {
		r.work()
		m.handle(schedule.Ended{Run: r.id})
	})
}

// work verifies until there are no further addresses or the run is cancelled.
func (r *run) work() {
	log := r.manager.config.Log.With(slog.String("job", r.job.ID))
	verifier, offline := r.manager.config.Verifier, func() bool { return r.manager.network.fault() != "" }
	if r.job.Test() {
		verifier, offline = sandbox.Verifier{}, nil
	}
	_, err := bulk.Run(r.ctx, r, r, bulk.Options{
		Verifier:    verifier,
		Concurrency: r.manager.config.Concurrency,
		Room:        func() int { return int(r.room.Load()) },
		NoReuse:     true, // a retry must not get the answer before
		Unordered:   true,
		Offline:     offline,
		Progress:    func(p bulk.Progress) { r.progress.Store(&p) },
		Trim:        trim,
		SpillDir:    r.manager.config.TempDir,
		Logger:      log,
	})
	if err != nil && r.ctx.Err() == nil && !errors.Is(err, engine.ErrClosed) {
		log.Error("a job is interrupted", "error", err)
	}
}

// trim keeps of a result what is stored.
func trim(result rcpt.Result) rcpt.Result {
	if d := result.Details; d != nil {
		result.Details = &rcpt.Details{CatchAll: d.CatchAll, Duration: d.Duration, Age: d.Age}
	}
	return result
}

// Next returns the next address. It waits until there is one.
func (r *run) Next(ctx context.Context) (bulk.Item, error) {
	for {
		item, found, finished := r.takeReady()
		switch {
		case found:
			return item, nil
		case finished:
			return bulk.Item{}, io.EOF
		}
		select {
		case <-r.more:
		case <-ctx.Done():
			return bulk.Item{}, ctx.Err()
		}
	}
}

func (r *run) takeReady() (next bulk.Item, found, finished bool) {
	r.manager.mu.Lock()
	defer r.manager.mu.Unlock()
	if len(r.ready) == 0 {
		return next, false, r.finished
	}
	next = r.ready[0]
	r.ready = r.ready[1:]
	return next, true, false
}

func (r *run) signal() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// feed lets the addresses of an open batch be asked about.
func (r *run) feed(l schedule.Lease) {
	for i, e := range r.open[l].entries {
		r.ready = append(r.ready, bulk.Item{Email: e.email, Row: place{l, i}.octets()})
	}
	r.signal()
}

// drop forgets a batch that belongs to somebody else.
func (r *run) drop(l schedule.Lease) {
	delete(r.open, l)
	r.ready = slices.DeleteFunc(r.ready, func(i bulk.Item) bool { return placeIn(i.Row).Lease == l })
}

// lease leases batches.
func (r *run) lease(q schedule.Query) (got returned) {
	m := r.manager
	batches, err := m.config.Store.LeaseBatches(r.ctx, rows.BatchQuery{
		Job: r.job.ID, Node: m.node, Egress: m.config.Egress,
		Except: q.Except, Small: q.Small, Held: q.Held, Limit: q.Limit,
	})
	if err != nil && !errors.Is(err, rows.ErrNotFound) { // it was deleted: there are none
		return failed(err)
	}
	all := make([]*open, len(batches))
	for i, b := range batches {
		all[i] = r.read(b)
		got.Batches = append(got.Batches, schedule.Batch{
			Lease: all[i].lease(), Domain: b.Domain, Addresses: b.Addresses, Damaged: all[i].damaged != nil,
		})
	}
	got.take = func() {
		for _, o := range all {
			r.open[o.lease()] = o
		}
	}
	return got
}

// read reads a batch.
func (r *run) read(b rows.Batch) *open {
	o := &open{batch: b}
	o.entries, o.damaged = unpackEntries(part{partBatch, r.job.ID, b.Segment}, b.Data)
	if o.damaged == nil && len(o.entries) != b.Addresses {
		o.damaged = ErrDamaged
	}
	if o.damaged != nil {
		r.manager.config.Log.Error("a job fails: a batch of it cannot be read",
			"job", r.job.ID, "batch", b.ID, "error", o.damaged)
		return o
	}
	o.batch.Data, o.done = nil, make([]bool, len(o.entries))
	return o
}
