package bulk

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/feed"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

const (
	// readAhead is how many items the reader may have ready beyond the window.
	readAhead = 64
	// takenAtOnce is how many outcomes and items the loop takes before it
	// starts tasks and hands results to the writer.
	takenAtOnce = 64
)

// run is one call of [Run]. One goroutine, that of loop, does all the
// book-keeping; others read, verify and write, and communicate with it over
// channels.
type run struct {
	options Options
	started time.Time

	reads    chan reading
	work     chan []*planned
	outcomes chan outcome
	workers  sync.WaitGroup
	out      *writer

	buffer  *spillBuffer
	order   order
	known   *dedupe
	plan    *feed.Plan[*task]
	retries RetryRules
	waits   feed.Waits[*task]
	// providers that have held tasks back, by number
	providers []string
	tally     tally

	asking      context.Context // of the workers
	caller      engine.Caller
	more        chan struct{} // more addresses wait than before
	found       chan *planned // the mail hosts of whose domains are known; has room for all in progress
	how         engine.GroupOptions
	workerCount int
	idle        atomic.Int64 // workers without a batch
	ready       []*record    // next in the order, for the writer
	alarm       *time.Timer
	alarmAt     time.Duration // what it is set to
	ticker      *time.Ticker
	drain       <-chan struct{} // nil once it was closed
	stopReading context.CancelFunc
	exhausted   bool // no more is read
	drained     bool
	overdue     <-chan time.Time // what is being asked is given up then; nil: the run is not drained
	late        bool             // it was
	woundUp     bool             // temporary answers are made final before their time
	network     network
	readErr     error
}

func newRun(o Options, sink Sink) *run {
	most := o.Concurrency + o.limits.queued
	buffer := newSpillBuffer(o.limits.heldBytes, o.SpillDir)
	r := &run{
		options:  o,
		started:  time.Now(),
		reads:    make(chan reading, readAhead),
		work:     make(chan []*planned, most),
		outcomes: make(chan outcome, most),
		out:      newWriter(sink),
		buffer:   buffer,
		order:    order{buffer: buffer, unordered: o.Unordered, perRow: o.PerRow},
		known:    newDedupe(o.limits.recentBytes),
		plan:     feed.New[*task](o.limits.fed(o.Concurrency)),
		retries:  NewRetryRules(o.RetryWindow),
		tally:    newTally(o.WorstDomains),
		drain:    o.Drain,
		more:     make(chan struct{}, 1),
		found:    make(chan *planned, most),
		network:  network{offline: o.Offline},
	}
	r.plan.Growing = true
	r.caller.Most, r.caller.Done, r.caller.More = o.limits.queued, o.Drain, r.more
	r.how = engine.GroupOptions{Level: o.Level, Fresh: o.Fresh, Caller: &r.caller}
	return r
}

func (r *run) now() time.Duration { return time.Since(r.started) }

// loop runs until the writer has everything, or until an error that ends the
// run at once.
func (r *run) loop(ctx context.Context) error {
	r.alarm = time.NewTimer(time.Hour) // until wake sets it
	defer r.alarm.Stop()
	r.ticker = time.NewTicker(r.options.limits.progressEvery)
	defer r.ticker.Stop()
	for {
		runtime.Gosched() // others catch up, so that there is more to take at once: a quarter of the time for an item
		if err := r.takeWaiting(ctx); err != nil {
			return err
		}
		if err := r.advance(); err != nil {
			return err
		}
		if r.exhausted && r.order.left() == 0 || r.drained && (r.plan.Started() == 0 || r.late) {
			return nil
		}
		if err := r.await(ctx); err != nil {
			return err
		}
	}
}

// await waits for the next event and handles it.
func (r *run) await(ctx context.Context) error {
	select {
	case next := <-r.readable():
		return r.admit(next)
	case o := <-r.outcomes:
		return r.settle(ctx, o)
	case r.writable() <- r.ready:
		r.ready = nil
	case <-r.more: // advance starts others
	case a := <-r.found: // so it does now
		r.plan.Found(a)
	case <-r.alarm.C:
		r.alarmAt = 0 // advance finds what is due
	case <-r.ticker.C:
		r.report()
	case <-r.drain:
		return r.endSoon()
	case <-r.overdue:
		r.late = true
	case <-r.out.failed:
		return r.out.err
	case <-r.options.Journal.failure():
		return r.options.Journal.failed()
	case <-ctx.Done():
		return stopped(ctx)
	}
	return nil
}

// takeWaiting takes outcomes and items that have already arrived, several at a
// time, which costs less than the select of await.
func (r *run) takeWaiting(ctx context.Context) error {
	for range takenAtOnce {
		var err error
		select {
		case o := <-r.outcomes:
			err = r.settle(ctx, o)
		case a := <-r.found:
			r.plan.Found(a)
		default:
			select {
			case next := <-r.readable():
				err = r.admit(next)
			default:
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// advance queues the tasks that are due, starts those that may start, and
// collects the records that can be written.
func (r *run) advance() error {
	if err := r.wake(); err != nil {
		return err
	}
	r.beginAll()
	if err := r.collect(); err != nil {
		return err
	}
	return r.buffer.err
}

// collect adds the next records in order to those that are ready.
func (r *run) collect() error {
	for len(r.ready) < batchRecords {
		next, err := r.order.take()
		if next == nil {
			return err
		}
		r.ready = append(r.ready, next)
	}
	return nil
}

// readable is nil while a limit forbids further reading.
func (r *run) readable() <-chan reading {
	limits := r.options.limits
	if r.exhausted || !r.room() || r.waits.Len() >= limits.waiting || r.order.left() >= limits.ahead {
		return nil
	}
	return r.reads
}

// room reports whether the window has room.
func (r *run) room() bool {
	return r.plan.Planned() < r.options.limits.window && r.plan.Octets() < r.options.limits.windowBytes
}

// writable is nil while there is nothing to write.
func (r *run) writable() chan<- []*record {
	if len(r.ready) == 0 {
		return nil
	}
	return r.out.batches
}

// close writes the records that are next in order and frees everything. Err is
// what ended the loop; close returns what Run returns.
func (r *run) close(err error) error {
	for o := range r.outcomes { // only after an error
		r.settleLast(o)
	}
	r.order.skips = r.drained && err == nil
	flushErr := r.flush()
	close(r.out.batches)
	<-r.out.ended
	r.buffer.close()
	return firstError(err, flushErr, r.out.err, r.readErr)
}

func (r *run) flush() error {
	for {
		if err := r.collect(); err != nil {
			return err
		}
		if len(r.ready) == 0 {
			return nil
		}
		select {
		case r.out.batches <- r.ready:
			r.ready = nil
		case <-r.out.failed:
			return nil
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func stopped(ctx context.Context) error { return fmt.Errorf("bulk: stopped: %w", flight.Ended(ctx)) }
