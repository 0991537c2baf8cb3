// Package jobs verifies lists in the background, so that nothing that was
// acknowledged is lost: a [Manager] takes lists in, works on them together with
// other nodes on the same store, and writes them out with their results.
//
// # A list arrives
//
// [Manager.Receive] writes what a client sends to a temporary file.
// [Manager.Create] reads that twice. The first reading finds out what is wrong
// with the list and which rows repeat an address; the second stores the rows as
// segments and their addresses as batches. The job exists when the last
// transaction has committed.
//
// A list that somebody looks at first is a draft: a job whose segments are the
// list as it arrived. [Manager.Look] shows its beginning, and how else it can
// be read; [Manager.Plan] says what would be asked. [Manager.StartDraft]
// makes another job of it, and deletes it.
//
// Addresses whose result is there already, by [Since], are not asked about.
//
// # Work
//
// What a node does is decided by a plan, [schedule.State]: which job it works
// on, what it leases, commits and gives back, and when it ends. It is a value.
// The Manager carries out what it says, and tells it what has come of that.
//
// On each node a job has a run of package bulk while there are batches to
// lease: it plans, and the engine is asked as for any list. Temporary answers
// become batches that are due later, by the rules of package bulk. Results are
// committed when a batch is done, and after a moment even if it is not. What a
// node has leased is free again when the node no longer announces itself. So
// an address is asked about a second time only if the node that had it was
// lost. While its own network does not work, a node leases nothing.
//
// [Manager.Headway] says how fast a job gets on, and what its addresses wait
// for. [Manager.Again] asks about the unknown ones of a job that is done.
//
// # Results
//
// [Manager.Write] writes the rows of the list in order, each with the columns
// that are added. Only a segment at a time is in memory, and two octets for
// each row that others repeat.
//
// The package knows no SQL; [Store] says what it needs.
package jobs
