package bulk

import "fmt"

// batchRecords is how many records go to the writer at a time: enough to make
// the hand-over cheap, and few in memory.
const batchRecords = 64

// writer gives records to the sink, on a goroutine of its own, so that a slow
// sink holds up nothing else.
type writer struct {
	sink    Sink
	batches chan []*record
	failed  chan struct{} // closed after the first error
	ended   chan struct{} // closed at the end
	err     error         // to be read when failed or ended is closed
	written int64         // to be read when ended is closed
}

func newWriter(sink Sink) *writer {
	return &writer{sink: sink, batches: make(chan []*record, 1), failed: make(chan struct{}), ended: make(chan struct{})}
}

// run writes until batches is closed. After an error it discards what it gets.
func (w *writer) run() {
	defer close(w.ended)
	for batch := range w.batches {
		if w.err != nil {
			continue
		}
		if err := w.write(batch); err != nil {
			w.err = err
			close(w.failed)
		}
	}
}

func (w *writer) write(batch []*record) error {
	for _, r := range batch {
		if err := w.sink.Write(r.item, r.answer.result); err != nil {
			return fmt.Errorf("bulk: cannot write the result of item %d: %w", w.written+1, err)
		}
		w.written++
	}
	return nil
}
