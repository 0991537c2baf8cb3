package bulk

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// Item is one address of a list.
type Item struct {
	// Email is the address, or with [Options.Clean] a text that has it.
	Email string
	// Row is passed to the sink with the address, unchanged: the line of the
	// list, for example. It belongs to Run once the source has returned it. It
	// consists of octets so that it can be kept in a file; [RowsOf] makes them
	// of any row.
	Row []byte
	// Known is the result of the item where it is known already: it is written
	// as it is and counted, and nobody is asked. Other items with the same
	// address are verified. What [Options.Journal] has of the item comes
	// first. Nil: the address is to be verified.
	Known *rcpt.Result
}

// Source yields the items of a list in order, and then [io.EOF]. It is called
// from one goroutine. [Addresses], [Items] and [RowsOf] make one of an
// iterator.
type Source interface {
	// Next returns early when ctx is cancelled. [Run] waits for it: nothing
	// that a run has started goes on after it.
	Next(ctx context.Context) (Item, error)
}

// Sink takes the results in the order of the source, or with
// [Options.Unordered] as they come. It is called from one goroutine. A function
// is one as a [SinkFunc].
type Sink interface {
	// Write must not change what the result points to: duplicates of the
	// address share it. The context has the values of that of [Run] and is not
	// cancelled: what is done is written.
	Write(ctx context.Context, item Item, result rcpt.Result) error
	// Flush writes what Write has only collected, as for a database. It is
	// called when no result has come for a second, so that a list that pauses
	// leaves nothing behind, and after the last one, unless the sink has
	// failed.
	Flush(ctx context.Context) error
}

// Verifier is what [engine.Verifier] does, which is one. [OneByOne] makes one
// of a function. A type between a run and the engine passes the options on,
// because Run learns from [engine.GroupOptions] how many addresses wait for
// busy mail hosts, and that the hosts of a domain are found.
type Verifier interface {
	// VerifyGroup verifies addresses of one domain: up to fifty, or one. Done,
	// which is quick, is called exactly once for each, with its index, perhaps
	// from several goroutines at a time. VerifyGroup returns after the last
	// call. It is called from many goroutines.
	VerifyGroup(
		ctx context.Context, addresses []string, o engine.GroupOptions,
		done func(i int, result rcpt.Result, err error),
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
	write, isFunc := sink.(SinkFunc)
	switch {
	case err != nil:
		return Summary{}, err
	case source == nil:
		return Summary{}, errNoSource
	case sink == nil, isFunc && write == nil:
		return Summary{}, errNoSink
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newRun(o, sink)
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	r.stopReading = stopReading
	var reader sync.WaitGroup
	reader.Go(func() { r.read(reading, source) })
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
