package bulk

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// Item is one address of a list.
type Item struct {
	Email string
	// Row is passed to the sink with the address, unchanged: the line of the
	// list, for example. It belongs to Run once the source has returned it. It
	// consists of octets so that it can be kept in a file.
	Row []byte
}

// Source yields the items of a list in order, and then [io.EOF]. It is called
// from one goroutine.
type Source interface {
	// Next returns early when ctx is cancelled. [Run] waits for it: nothing
	// that a run has started goes on after it.
	Next(ctx context.Context) (Item, error)
}

// Sink takes the results in the order of the source, or with
// [Options.Unordered] as they come. It is called from one goroutine.
type Sink interface {
	// Write must not change what the result points to: duplicates of the
	// address share it. The context has the values of that of [Run] and is not
	// cancelled: what is done is written.
	Write(ctx context.Context, item Item, result engine.Result) error
}

// Flusher is a [Sink] that collects results before it writes them, as to a
// database. [Run] calls Flush on the goroutine of Write when no result has come
// for a second, so that a list that pauses leaves nothing behind, and after the
// last one, unless the sink has failed.
type Flusher interface {
	Sink
	Flush(ctx context.Context) error
}

// Verifier is what [engine.Verifier] does. It is called from many goroutines.
type Verifier interface {
	Verify(ctx context.Context, address string) (engine.Result, error)
}

// GroupVerifier is a [Verifier] that verifies several addresses of one domain
// together at less cost, and takes options, as [engine.Verifier] does. [Run]
// calls VerifyGroup for every address, and never Verify: a type that embeds
// an engine.Verifier and means to change what it does needs a VerifyGroup of
// its own. It should pass the options on, because Run learns from
// [engine.GroupOptions.Waits] which addresses wait for busy mail hosts. Of a
// Verifier that is no GroupVerifier, Run does not know that: such an address
// counts as one in progress, and [engine.ErrBusy] is tried again.
//
// Done, which is quick, is called exactly once for each address, with its
// index; VerifyGroup returns after the last call.
type GroupVerifier interface {
	Verifier
	VerifyGroup(
		ctx context.Context, addresses []string, o engine.GroupOptions,
		done func(i int, result engine.Result, err error),
	)
}

// Run verifies what source yields and writes the results to sink. It returns
// when everything is written and the source is no longer called, or with an
// error:
//
//   - ctx was cancelled: it stops at once, writes the results that are done and
//     next in order ([Options.Unordered]: all that are done), and returns an
//     error that wraps ctx.Err() and the cause;
//   - source failed: the items that were read before are finished without
//     further retries, and written;
//   - the Verifier was closed ([engine.ErrClosed]): it stops at once, as after
//     a cancelled ctx;
//   - sink failed, or [Options.SpillDir] cannot be written to or read from: it
//     stops at once; in the latter case, results that are next in order are
//     written.
//
// Errors of the source name the number of the item, and errors of the sink that
// of the result, from 1. The summary is valid after an error too.
func Run(ctx context.Context, source Source, sink Sink, o Options) (Summary, error) {
	o, err := o.withDefaults()
	switch {
	case err != nil:
		return Summary{}, err
	case source == nil:
		return Summary{}, errNoSource
	case sink == nil:
		return Summary{}, errNoSink
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newRun(o, sink)
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	r.stopReading = stopReading
	var reader sync.WaitGroup
	reader.Go(func() { read(reading, source, r.reads) })
	r.asking = ctx
	go r.out.run(context.WithoutCancel(ctx))

	err = r.loop(ctx)
	cancel()
	r.stopWorkers()
	err = r.close(err)
	reader.Wait()
	r.report()
	return r.tally.summary(time.Since(r.started), r.out.written, r.drained), err
}
