package jobs

import "time"

// Limits bound what a list may be. Zero fields have the defaults.
type Limits struct {
	Octets  int64 // Default: [DefaultOctets].
	Rows    int64 // Default: [DefaultRows].
	Columns int   // Default: [DefaultColumns].
	// Stored is how many octets the lists of one owner take in the store,
	// compressed; those of all owners together ten times as many. Default:
	// [DefaultStored].
	Stored int64
}

// Default limits of a list.
const (
	DefaultOctets  = 1 << 30
	DefaultRows    = 10_000_000
	DefaultColumns = 1000
	DefaultStored  = 10 << 30

	storedByAll = 10 // times Stored
)

const (
	// segmentRows and segmentOctets bound a segment, which is in memory as a
	// whole. The addresses of a domain are grouped within a segment.
	segmentRows   = 20_000
	segmentOctets = 4 << 20
	// batchAddresses is the most addresses of a batch: what a lost node costs,
	// and what one transaction writes.
	batchAddresses = 500
	// ownBatch is how many addresses of a domain in a segment get batches of
	// their own: as many as fill a transaction.
	ownBatch = 50
	// headOctets is how much of a list is kept to find its format again, much
	// more than package list looks at.
	headOctets = 512 << 10

	// mostUploads and ownUploads are how many lists are sent at a time, in all
	// and by one owner: each takes a connection and a temporary file of up to
	// twice [Limits].Octets.
	mostUploads, ownUploads = 64, 8
	// mostOutputs and ownOutputs are how many results are written at a time:
	// each has a segment in memory, 10 MB or so, however slowly it is read.
	mostOutputs, ownOutputs = 16, 4
	// placeWait is how long one more of them waits for the end of another.
	placeWait = 5 * time.Second

	// pollEvery is how soon a node notices what other nodes have changed.
	pollEvery = 500 * time.Millisecond
	// retryGrid is how far apart the times of retries are, so that few batches
	// have all that are due at about the same time.
	retryGrid = 15 * time.Second
	// maxRuns is how many jobs a node works on at a time, and one more of each
	// owner that has none among them.
	maxRuns = 50
)
