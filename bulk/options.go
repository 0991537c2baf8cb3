package bulk

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// defaultConcurrency is enough that slow mail hosts do not delay the others,
// and costs few goroutines.
const defaultConcurrency = 500

// Options configure [Run]. Every zero field but Verifier has the documented
// default.
type Options struct {
	// Verifier verifies the addresses, each by its VerifyGroup:
	// [engine.Verifier] is one, and [OneByOne] makes one of a function. A type
	// that embeds an engine.Verifier and has a Verify of its own is passed as
	// OneByOne(v.Verify); as itself it verifies as the engine does. Required.
	Verifier Verifier
	// Level is how deep to look, as [engine.GroupOptions] has it. Default: that
	// of the Verifier.
	Level engine.Level
	// Fresh asks about each address even if the Verifier remembers its result.
	// Duplicates of an address still share one, unless NoReuse is set. Default:
	// what is remembered is used.
	Fresh bool
	// Clean takes what people wrote: the address in each text is verified
	// ([address.Clean]), whatever the Verifier is, and Details.Given has the
	// text if it is more. A text with several addresses or none has a result
	// that says so. Default: each text is an address.
	Clean bool
	// Concurrency is the number of verifications in progress. Addresses that
	// wait for a session of their mail host, or share the transaction of
	// another, do not count, up to sixteen times as many. Default: 500.
	Concurrency int
	// Room is how many of the verifications that Concurrency allows may be in
	// progress at the moment, for runs that share a number of them. It is
	// called often, must be quick, and a larger number is noticed within a
	// second. Default: all.
	Room func() int
	// RetryWindow is how long temporary answers about an address are retried,
	// from the first one. Default: not at all.
	RetryWindow time.Duration
	// NoReuse verifies an address again that comes when an earlier item with it
	// is done: for sources that yield an address again because they want
	// another answer. Default: about 16 MiB of results are remembered for
	// duplicates.
	NoReuse bool
	// Unordered writes each result when it is final, instead of in the order of
	// the source. Addresses that are slow or wait for a retry then hold back no
	// others. Default: the order of the source.
	Unordered bool
	// PerRow is how many consecutive items make a row of the list: its
	// addresses in several columns, for example. The results of a row are
	// written when all of them are final, or not at all, so that a sink can put
	// them together. With Unordered it has no effect. Default: one.
	PerRow int
	// Trim is applied to each result when it comes, known ones included, and
	// says what of it the sink needs: with [rcpt.Result.WithoutDetails],
	// results that wait for their turn take a tenth of the room, and have all
	// that decisions need. Trim must be safe for concurrent use.
	// Default: results are kept whole.
	Trim func(rcpt.Result) rcpt.Result
	// Offline reports whether our own network does not work at the moment.
	// Nobody is asked meanwhile, an answer that is unknown for the moment is
	// asked for again, and RetryWindow stands still. It is called often and
	// must be quick; [engine.Verifier.Network] is. Default: the network works.
	Offline func() bool
	// Drain ends the run within [DrainTime], four seconds, when it is closed:
	// no more is read, and nobody is asked any more. What is being asked has
	// that time to end. What was read ahead and waits, for its turn or for a
	// session with a busy mail host, has no result and is not written: some
	// 20,000 items at most. An address that waits for a retry has its last
	// answer, which is not settled. The rows that are done are written in
	// their order, without the others; with a Journal, the next run over the
	// list asks about these. Default: never.
	Drain <-chan struct{}
	// Journal keeps the final results on disk as they come, and has those of an
	// earlier run over the same list, whose addresses are not asked about
	// again. An error of it ends the run at once. Default: none.
	Journal *Journal
	// WorstDomains is how many domains [Summary.Worst] names at most. Default:
	// none are counted.
	WorstDomains int
	// Progress is called about once in a second, and at the end, on the
	// goroutine that called [Run]. It must be quick. Default: none.
	Progress func(Progress)
	// SpillDir is the folder for what does not fit in memory; preferably not in
	// memory itself, as temporary folders may be. Default: [os.TempDir].
	SpillDir string
	// Logger receives a warning for each address that could not be verified,
	// without the local-part. Default: silent.
	Logger *slog.Logger

	limits limits // of tests
}

// DrainTime is how long a run waits for answers when [Options.Drain] is closed.
const DrainTime = 4 * time.Second

// What a run cannot do without.
var (
	errNoSource   = errors.New("bulk: a source is required")
	errNoSink     = errors.New("bulk: a sink is required")
	errNoVerifier = errors.New("bulk: a verifier is required")
	errNotOpened  = errors.New("bulk: the journal was not opened with OpenJournal")
)

func (o Options) withDefaults() (Options, error) {
	verify, isOneByOne := o.Verifier.(oneByOne)
	switch {
	case o.Verifier == nil, isOneByOne && verify == nil:
		return o, errNoVerifier
	case o.Journal != nil && o.Journal.file == nil:
		return o, errNotOpened
	case !slices.Contains([]engine.Level{"", engine.LevelSyntax, engine.LevelDNS, engine.LevelSMTP}, o.Level):
		return o, fmt.Errorf("bulk: level %q is unknown: use syntax, dns or smtp", string(o.Level))
	case isOneByOne && (o.Level != "" || o.Fresh):
		return o, errOneByOne
	case o.Concurrency < 0:
		return o, fmt.Errorf("bulk: concurrency %d is negative", o.Concurrency)
	case o.RetryWindow < 0:
		return o, fmt.Errorf("bulk: retry window %v is negative", o.RetryWindow)
	case o.PerRow < 0:
		return o, fmt.Errorf("bulk: %d items per row are negative", o.PerRow)
	case o.WorstDomains < 0:
		return o, fmt.Errorf("bulk: worst domains %d is negative", o.WorstDomains)
	}
	setDefault(&o.Concurrency, defaultConcurrency)
	setDefault(&o.PerRow, 1)
	setDefault(&o.SpillDir, os.TempDir())
	if o.Room == nil {
		o.Room = func() int { return o.Concurrency }
	}
	if o.NoReuse {
		o.limits.recentBytes = 1
	}
	if o.Trim == nil {
		o.Trim = func(r rcpt.Result) rcpt.Result { return r }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&o.limits.queued, queuedPerAsked*o.Concurrency)
	o.limits = o.limits.withDefaults()
	o.limits.ahead = max(o.limits.ahead, o.PerRow)
	return o, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
