package bulk

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// defaultConcurrency is enough that slow mail hosts do not delay the others,
// and costs few goroutines.
const defaultConcurrency = 500

// queuedPerAsked is the default number of addresses that may wait or share a
// transaction, for each verification in progress. A transaction has up to a
// hundred recipients, and those of slow hosts stay for long: what waits for
// them must not keep the others from having any.
const queuedPerAsked = 16

// defaultProgressEvery is often enough for a progress line.
const defaultProgressEvery = time.Second

// Options configure [Run]. Every zero field but Verifier has the documented
// default.
type Options struct {
	// Verifier verifies the addresses.
	Verifier Verifier
	// Concurrency is the number of verifications in progress. Addresses that
	// wait for a session of their mail host, or share the transaction of
	// another, do not count, up to [Limits.Queued]. Default: 500.
	Concurrency int
	// Room returns how many of Concurrency may be in progress at the moment, so
	// that several runs can share it. It is called often, must be quick, and a
	// larger number is noticed within ProgressEvery. Default: all.
	Room func() int
	// RetryWindow is how long temporary answers about an address are retried,
	// from the first one. Default: not at all.
	RetryWindow time.Duration
	// Unordered writes each result when it is final, instead of in the order of
	// the source. Addresses that are slow or wait for a retry then hold back no
	// others. Default: the order of the source.
	Unordered bool
	// Trim is applied to each result when it comes, and says what of it the
	// sink needs: with [engine.Result.WithoutDetails], results that wait for
	// their turn take a tenth of the room, and the sink still has their Reason.
	// It must be safe for concurrent use.
	// Default: results are kept whole.
	Trim func(engine.Result) engine.Result
	// Drain ends the run early when it is closed: no more is read, what was
	// read is finished, each address that waits for a retry has its last answer
	// as the final word, and everything is written. Default: never.
	Drain <-chan struct{}
	// Journal keeps the final results on disk as they come, and has those of an
	// earlier run over the same list, whose addresses are not asked about
	// again. An error of it ends the run at once. Default: none.
	Journal *Journal
	// Progress is called about once in ProgressEvery, and at the end, on the
	// goroutine that called [Run]. It must be quick. Default: none.
	Progress func(Progress)
	// Default: a second.
	ProgressEvery time.Duration
	// SpillDir is the folder for what does not fit in memory; preferably not in
	// memory itself, as temporary folders may be. Default: [os.TempDir].
	SpillDir string
	// Logger receives a warning for each address that could not be verified,
	// without the local-part. Default: silent.
	Logger *slog.Logger
	// Limits bound the memory.
	Limits Limits
}

// Limits bound what a run keeps in memory. With the defaults a program that
// does nothing else takes 60 MB for a list of a million addresses, 160 MB when
// a tenth of them waits for a retry, and 270 MB when all do. Zero fields have
// the defaults.
type Limits struct {
	// Window is how many addresses are read ahead: those that are queued or in
	// progress. A larger window has more addresses of one domain, which are
	// verified together. Default: 20,000.
	Window int
	// WindowBytes bounds their texts, rows included. Default: 16 MiB.
	WindowBytes int64
	// PerDomain is how many addresses of one domain are in progress at a time.
	// The engine opens a few sessions with a mail host. Each takes up to a
	// hundred addresses at a time, while as many wait for the next transaction;
	// more would only wait there. Default: 800.
	PerDomain int
	// Queued is how many addresses may wait for sessions with their mail hosts,
	// or be named in the transactions of others, beside [Options.Concurrency].
	// More of them keep the hosts of large domains busy, and start the hosts of
	// small ones sooner; each takes some 4 kB, or 16 kB where the Verifier is
	// no [GroupVerifier]. Default: sixteen times Concurrency.
	Queued int
	// Waiting is how many addresses may wait for a retry before reading pauses.
	// Each takes 150 octets. Default: 500,000.
	Waiting int
	// Ahead is how many items may be read beyond the first that is not done,
	// or with [Options.Unordered] without being written, before reading pauses.
	// Each takes 8 octets. Default: 4,000,000.
	Ahead int
	// HeldBytes bounds the results in memory that wait for their turn or a
	// retry; the others go to a file. Default: 32 MiB.
	HeldBytes int64
	// RecentBytes bounds the results of addresses that are done, kept for
	// duplicates. Default: 16 MiB, which is about 9,000 addresses with details
	// and 50,000 without.
	RecentBytes int64
}

var (
	errNoVerifier    = errors.New("bulk: a verifier is required")
	errNegativeLimit = errors.New("bulk: a limit is negative")
)

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Verifier == nil:
		return o, errNoVerifier
	case o.Concurrency < 0:
		return o, fmt.Errorf("bulk: concurrency %d is negative", o.Concurrency)
	case o.RetryWindow < 0:
		return o, fmt.Errorf("bulk: retry window %v is negative", o.RetryWindow)
	case o.ProgressEvery < 0:
		return o, fmt.Errorf("bulk: progress interval %v is negative", o.ProgressEvery)
	}
	setDefault(&o.Concurrency, defaultConcurrency)
	setDefault(&o.ProgressEvery, defaultProgressEvery)
	setDefault(&o.SpillDir, os.TempDir())
	if o.Room == nil {
		o.Room = func() int { return o.Concurrency }
	}
	if o.Trim == nil {
		o.Trim = func(r engine.Result) engine.Result { return r }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	var err error
	setDefault(&o.Limits.Queued, queuedPerAsked*o.Concurrency)
	o.Limits, err = o.Limits.withDefaults()
	return o, err
}

func (l Limits) withDefaults() (Limits, error) {
	counts := min(l.Window, l.PerDomain, l.Queued, l.Waiting, l.Ahead)
	if counts < 0 || min(l.WindowBytes, l.HeldBytes, l.RecentBytes) < 0 {
		return l, errNegativeLimit
	}
	setDefault(&l.Window, 20_000)
	setDefault(&l.WindowBytes, 16<<20)
	setDefault(&l.PerDomain, 800)
	setDefault(&l.Waiting, 500_000)
	setDefault(&l.Ahead, 4_000_000)
	setDefault(&l.HeldBytes, 32<<20)
	setDefault(&l.RecentBytes, 16<<20)
	return l, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
