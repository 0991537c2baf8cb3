package bulk

import (
	"context"
	"fmt"
	"time"
)

// batchRecords is how many records go to the writer at a time: enough to make
// the hand-over cheap, and few in memory.
const batchRecords = 64

// flushAfter is how long no result has come when a sink is flushed.
const flushAfter = time.Second

// writer gives records to the sink, on a goroutine of its own, so that a slow
// sink holds up nothing else.
type writer struct {
	sink    Sink
	batches chan []*record
	failed  chan struct{} // closed after the first error
	ended   chan struct{} // closed at the end
	err     error         // to be read when failed or ended is closed
	written int64         // to be read when ended is closed

	unflushed bool // something was written since the last flush
}

func newWriter(sink Sink) *writer {
	return &writer{
		sink: sink, batches: make(chan []*record, 1), failed: make(chan struct{}), ended: make(chan struct{}),
	}
}

// run writes until batches is closed. After an error it discards what it gets.
func (w *writer) run(ctx context.Context) {
	defer close(w.ended)
	idle := time.NewTimer(flushAfter)
	defer idle.Stop()
	for {
		select {
		case batch, open := <-w.batches:
			if !open {
				w.note(w.flush(ctx))
				return
			}
			w.note(w.write(ctx, batch))
			idle.Reset(flushAfter)
		case <-idle.C:
			w.note(w.flush(ctx))
		}
	}
}

// note keeps the first error and says that there is one.
func (w *writer) note(err error) {
	if err != nil && w.err == nil {
		w.err = err
		close(w.failed)
	}
}

func (w *writer) write(ctx context.Context, batch []*record) error {
	if w.err != nil {
		return nil
	}
	for _, r := range batch {
		if err := w.sink.Write(ctx, r.item, r.answer.result); err != nil {
			return fmt.Errorf("bulk: cannot write result %d: %w", w.written+1, err)
		}
		w.written++
		w.unflushed = true
	}
	return nil
}

// flush has the sink write what it has collected, if there is anything.
func (w *writer) flush(ctx context.Context) error {
	if !w.unflushed || w.err != nil {
		return nil
	}
	w.unflushed = false
	if err := w.sink.Flush(ctx); err != nil {
		return fmt.Errorf("bulk: cannot write the results up to number %d: %w", w.written, err)
	}
	return nil
}
