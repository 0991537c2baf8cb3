package schedule

import "time"

// List is a list that may have something to ask.
type List struct {
	ID, Owner string
	// Alone: nobody is asked about its addresses, so it needs no network.
	Alone bool
}

// Lease names a batch with its claim. A node that is given up for lost by
// mistake may have one that others had in between, and have it twice.
type Lease struct{ ID, Claim int64 }

// Batch is a batch that was leased.
type Batch struct {
	Lease
	Domain    string // of all its addresses; empty: they are of several small ones
	Addresses int
	Damaged   bool // it cannot be read
}

// RunID names a run: the work on a list until it has nothing to ask.
type RunID int64

// CallID names a call to the store.
type CallID int64

// Event is something that has happened.
type Event interface{ happen(*State) }

type (
	// Tick says that time has passed.
	Tick struct{}
	// Changed says that lists have changed on this node.
	Changed struct{}
	// Answered says that addresses of a batch have their outcome.
	Answered struct {
		Run   RunID
		Lease Lease
		N     int
	}
	// Ended says that the verifications of a run have ended.
	Ended struct{ Run RunID }
	// Stop ends the run of a list.
	Stop struct{ List string }
	// Network says whether the node's own network works.
	Network struct{ Down bool }
	// Shut ends the node.
	Shut struct{}
	// Returned ends a call.
	Returned struct {
		Call CallID
		Err  error

		Lists   []List    // of [Look], in the order in which they may begin
		Due     time.Time // of [Ask]: when the first batch is due; zero: the list has none
		Batches []Batch   // of [LeaseBatches]
		Lost    []bool    // of [Commit]: nothing was written, for each settlement
	}
)

// Do is what an action does.
type Do uint8

// Calls end with [Returned].
const (
	Look         Do = iota + 1 // read which lists may have something to ask
	Ask                        // when the first batch of List is due
	LeaseBatches               // for Run
	Free                       // give back what the store has for List on this node, but for Held
	Join                       // this node is alive
	Leave                      // this node gives back everything
	Commit                     // Settle
)

// Other actions.
const (
	Begin  Do = iota + 20 // Run, of List
	Feed                  // the addresses of Lease to Run
	Room                  // so many verifications of Run may be in progress
	Finish                // Run gets no more addresses: it ends when it has none
	Cancel                // the verifications of Run
	Drop                  // Lease of Run: it belongs to somebody else
	Gone                  // Run is over, and nothing of it is left
	Abort                 // end the calls
	Tell                  // News
	Done                  // the node has ended
)

// Action is something to be done. It must not take time.
type Action struct {
	Do     Do
	Call   CallID
	Run    RunID
	List   List
	Lease  Lease
	Query  Query
	Held   []Lease
	Settle []Settlement
	Room   int
	News   News
	Err    error
}

// Query says what is leased.
type Query struct {
	Limit  int      // batches
	Held   int      // addresses that the run has
	Small  bool     // only of small domains
	Except []string // domains
}

// Settlement is what becomes of a leased batch, or of a part of it. One that is
// tried again has the number that it had.
type Settlement struct {
	ID      int64
	Run     RunID
	Lease   Lease
	Left    int  // addresses that are still to be asked
	Release bool // and by others
	Damaged bool // the list cannot go on
}

// News is something for the log.
type News uint8

// The news.
const (
	LooksFail    News = iota + 1 // lists wait for the store
	NotAnnounced                 // others take this node's share
	LeaseFails
	CommitFails // results wait in memory
	RunStuck    // verifications of Run do not end
	NotLeft     // what this node has is given back when it is given up for lost
)
