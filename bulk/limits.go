package bulk

import (
	"time"

	"github.com/rcpt/rcpt/internal/feed"
)

// queuedPerAsked is the default number of addresses that may wait or share a
// transaction, for each verification in progress. A transaction has up to a
// hundred recipients, and those of slow hosts stay for long: what waits for
// them must not keep the others from having any.
const queuedPerAsked = 16

// limits bound what a run keeps in memory. Zero fields have the defaults.
type limits struct {
	// window is how many addresses are read ahead: those that are queued or in
	// progress. A larger window has more addresses of one domain, which are
	// verified together. Default: 20,000.
	window int
	// windowBytes bounds their texts, rows included. Default: 16 MiB.
	windowBytes int64
	// perDomain is how many addresses of one domain are in progress at a time.
	// The engine opens a few sessions with a mail host. Each takes up to a
	// hundred addresses at a time, while as many wait for the next transaction;
	// more would only wait there. Default: 800.
	perDomain int
	// queued is how many addresses may wait for sessions with their mail hosts,
	// or be named in the transactions of others, beside [Options.Concurrency].
	// More of them keep the hosts of large domains busy, and start the hosts of
	// small ones sooner; each takes some 4 kB. Default: sixteen times
	// Concurrency.
	queued int
	// waiting is how many addresses may wait for a retry before reading pauses.
	// Each takes 150 octets. Default: 500,000.
	waiting int
	// ahead is how many items may be read beyond the first that is not done,
	// or with [Options.Unordered] without being written, before reading pauses.
	// Each takes 8 octets. Default: 4,000,000.
	ahead int
	// heldBytes bounds the results in memory that wait for their turn or a
	// retry; the others go to a file. Default: 32 MiB.
	heldBytes int64
	// recentBytes bounds the results of addresses that are done, kept for
	// duplicates. Default: 16 MiB, which is about 9,000 addresses with details
	// and 50,000 without.
	recentBytes int64
	// progressEvery is how often [Options.Progress] is called. Default: a
	// second, which is often enough for a progress line.
	progressEvery time.Duration
}

func (l limits) withDefaults() limits {
	setDefault(&l.window, 20_000)
	setDefault(&l.windowBytes, 16<<20)
	setDefault(&l.perDomain, 800)
	setDefault(&l.waiting, 500_000)
	setDefault(&l.ahead, 4_000_000)
	setDefault(&l.heldBytes, 32<<20)
	setDefault(&l.recentBytes, 16<<20)
	setDefault(&l.progressEvery, time.Second)
	return l
}

// fed is how much of a list is in progress.
func (l limits) fed(concurrency int) feed.Limits {
	return feed.Limits{Asked: concurrency, Waiting: l.queued, PerDomain: l.perDomain}
}
