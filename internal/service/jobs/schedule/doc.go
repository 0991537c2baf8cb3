// Package schedule decides what a node does with the lists of an installation:
// which list it works on, what it leases, what it commits and when, what it
// gives back, and when it ends.
//
// [State] is a value. Facts go in as events, and what is to be done comes out
// as actions; [State.Next] says when the next event is due at the latest. It
// knows no goroutine, lock, context, store or clock. Package jobs is its shell,
// and a simulation of several nodes is its test.
//
// An action that asks the store is a call: it has a number, and ends with one
// [Returned], however long that takes.
//
// # Rules
//
//  1. The lists that may have something to ask are looked at twice a second,
//     and when they change here. The store says in which order: owners take
//     turns, and of one owner's lists the one with least left comes first.
//  2. A list without a batch that is due is asked for again when one is, or
//     after a third of a lease, because batches of a lost node come back at
//     any time.
//  3. A node has so many runs, and one more for each owner without one. A list
//     that waits gets a free place at the next look. If no place is free, the
//     oldest run of its owner leases no more once it has had its turn, and the
//     list of that run comes last from then on.
//  4. Owners share what may be in progress equally, and so do the runs of one.
//  5. A run leases what its window has room for, few batches of one domain at
//     a time, and leaves a part of its window to small domains. Where it gets
//     nothing it asks again when a batch is done, and else less and less often.
//  6. Outcomes are committed when their batch is done, and after a moment even
//     if it is not. There is one commit at a time; it takes what is due. A
//     batch has one settlement at a time.
//  7. A settlement whose commit failed is tried again as it was. Such ones take
//     turns with what is due, and in halves, so that one that cannot be stored
//     does not hold up the others for long.
//  8. A batch that belongs to somebody else by now is dropped.
//  9. A lease that failed may have been committed. So before the node leases of
//     this list again, it gives back what it does not know of.
//  10. When the verifications of a run have ended, its batches are settled as
//     far as they are done, and the rest is given back. The list has another
//     run when that is stored.
//  11. A run is stopped when its list may not be asked about any more, when the
//     node's own network does not work and the list needs it, when the store
//     has not heard the node for as long as a lease, and when the node ends.
//  12. Verifications of a run that was stopped count as ended when they have
//     not within the time of a standstill: the list goes on without them.
//  13. A node says six times in a lease that it is alive, unless a call to the
//     store does not come back.
//  14. A node that ends commits what it has within stopWithin, and leaves. It
//     ends within stopWithin and leaveWithin, whatever the store does.
//  15. A call that failed is not made again for a second.
package schedule
