package rows

import (
	"math"
	"slices"
	"time"
)

// JobState is the state of a job.
type JobState string

// The states of a job. One that is done, cancelled or failed stays so until it
// is deleted.
const (
	JobLoading   JobState = "loading" // its list is arriving; nobody sees it yet
	JobDraft     JobState = "draft"   // its list has arrived, and nobody has said yet that it is a job
	JobQueued    JobState = "queued"  // nothing was asked yet
	JobRunning   JobState = "running"
	JobPaused    JobState = "paused"
	JobCancelled JobState = "cancelled"
	JobDone      JobState = "done"
	JobFailed    JobState = "failed"
)

// Ended tells whether nothing more is asked for a job in this state.
func (s JobState) Ended() bool { return s == JobCancelled || s == JobDone || s == JobFailed }

// Job is a list that is verified in the background.
type Job struct {
	ID      string
	Owner   string // the account of its key, or the ID of a key without one
	Key     string // the ID of the key that sent it
	Name    string // for people
	Webhook string // the URL for webhooks; empty: none
	// Progress: there are webhooks at each tenth, too, not only at the end.
	Progress bool
	State    JobState
	Problem  string // why it failed
	Format   string // how its rows are read, for the package that does

	Rows       int64
	Duplicates int64 // rows whose address was in a row before
	Unusable   int64 // rows without one address
	Addresses  int64 // distinct ones, which are asked about
	Done       int64 // of Addresses
	Segments   int64 // parts of the list, as they are stored

	Results map[string]int64 // of Done
	Reasons map[string]int64 // of Done
	// Groups are the rows that have a result, by their group; nil: an earlier
	// version has begun the job, and they were not counted.
	Groups map[string]GroupCount

	Reused       int64  // of Done: their result was there before, in another list or in this one
	ComparedWith string // the ID of an earlier list; empty: none
	Notify       string // the address for a mail when it has ended; empty: none

	Created  time.Time
	Started  time.Time // zero: not yet
	Finished time.Time // zero: not yet
	Expires  time.Time // when it is deleted
}

// Test tells whether it is a list of a test key: nobody is asked about it, and
// it is not counted.
func (j *Job) Test() bool { return TestID(j.Key) }

// GroupCount is how many rows of a list are of a group, and how many distinct
// addresses.
type GroupCount struct {
	Rows      int64 `json:"rows"`
	Addresses int64 `json:"addresses"`
}

// UndeliverableShare is the share of addresses that are proven undeliverable,
// of those that have a result: from 0 to 1.
func (j Job) UndeliverableShare() float64 {
	return math.Round(1e4*float64(j.Results["undeliverable"])/float64(max(1, j.Done))) / 1e4
}

// JobQuery says which jobs are wanted.
type JobQuery struct {
	Owners []string // nil: every owner
	Key    string   // empty: of every key
	State  JobState // empty: in every state
	Before string   // the ID of a job: only those that were made before it; empty: all
	Limit  int
}

// JobTotals are what is known of a list when it has arrived.
type JobTotals struct {
	Rows, Duplicates, Unusable, Addresses, Segments int64
	// Groups are the rows of which nothing is asked, for every group.
	Groups map[string]GroupCount
	// Reused is of which addresses the results are there, with their counters.
	Reused []ResultCount
}

// JobRequest is a request that a client may repeat, named by a token of its
// choice.
type JobRequest struct {
	Owner string
	Token Hash
	Body  Hash // of what was sent
}

// Batch is some addresses of one segment of a job that are asked about
// together.
type Batch struct {
	Job       string
	ID        int64 // within the job; made by the store
	Segment   int64
	Domain    string // of all its addresses; empty: they are of several small ones
	Egress    string // from where mail hosts want to be asked again; empty: anywhere
	Retry     bool   // its addresses were asked about before
	RunAfter  time.Time
	Addresses int
	Data      []byte
	// Kept is the result that each of its addresses has until it is asked about
	// again; empty: none.
	KeptResult, KeptReason, KeptGroup string
	Rows                              int64 // that count with its addresses

	Claim int64 // fences the lease
}

// ResultCount is how many addresses have a result for a reason.
type ResultCount struct {
	Result, Reason string
	Addresses      int64
}

// Settlement is what became of a leased batch, or of a part of it.
type Settlement struct {
	Batch   Batch // as it was leased
	Results []byte
	Counts  []ResultCount         // of Results
	Groups  map[string]GroupCount // of Results
	// Left is what is still to be asked in place of the batch, with the same
	// ID; nil: nothing. The lease is kept or, with Release, given back.
	Left    *Batch
	Release bool
	Later   []Batch // to be asked again, each at its time
	Failed  string  // why the job cannot go on; empty: it can
}

// Settled is how many addresses have got their final result.
func (s *Settlement) Settled() (n int64) {
	for _, c := range s.Counts {
		n += c.Addresses
	}
	return n
}

// LeftAt is what is left to ask of a job at a domain.
type LeftAt struct {
	Domain      string // empty: several small ones
	Later       bool   // they were asked about before, and it is not their time yet
	Addresses   int64
	First, Last time.Time // when they are due
}

// BatchQuery says which batches a node wants to lease.
type BatchQuery struct {
	Job    string
	Node   string
	Egress string   // of the node
	Except []string // domains of which it has enough
	Small  bool     // only batches of several small domains
	Held   int      // addresses of the job that it has
	Limit  int
}

// Segment is all that is stored of a segment of a job's list.
type Segment struct {
	Rows    []byte
	Results []ResultPart
	Batches []Batch // of its addresses that are still to be asked about
}

// ResultPart is what a batch has brought at a time.
type ResultPart struct {
	Batch, Part int64
	Data        []byte
}

// Clone returns a copy whose slices are its own; what they hold is shared.
func (s Segment) Clone() Segment {
	s.Results, s.Batches = slices.Clone(s.Results), slices.Clone(s.Batches)
	return s
}
