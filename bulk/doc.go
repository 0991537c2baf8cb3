// Package bulk verifies lists of any size in bounded memory.
//
// [Run] takes addresses from a [Source], has them verified by a [Verifier],
// several of a domain at a time, and passes the results to a [Sink].
//
//   - Order: the sink gets the results in the order of the source, each
//     exactly once. A result that is done before its turn waits in memory, and
//     beyond 32 MiB in a temporary file. With [Options.Unordered]
//     the sink gets each result when it is final.
//   - Plan: a window of the list is read ahead, so that addresses of one
//     domain are verified together and share sessions with its mail host.
//     Domains take turns, so that large and small ones do not hold each other
//     up.
//   - Duplicates: an address that is in progress, waits for a retry, or was
//     done recently is not verified again. Its result is given again, with the
//     spelling of the duplicate. Domains are compared as the DNS knows them
//     and local-parts exactly, except for unnecessary quotes.
//     About 50,000 addresses are remembered after they are done, or 9,000 whose
//     results have details; one that comes again later is verified again.
//   - Cleaning: with [Options.Clean] each text may have more than the address.
//     Known results go through with [Item.Known].
//   - Retries: an [rcpt.VerdictUnknown] result that says when to ask again is
//     not final before [Options.RetryWindow] is over. The address is verified
//     again after that time or a growing wait, whichever is longer, and a last
//     time when the window ends. If asking again is not worthwhile until then,
//     the result is final at once. The last answer counts. Waiting addresses
//     delay neither reading nor verifying.
//   - Network: while [Options.Offline] says that our own network does not work,
//     nobody is asked, what is unknown for the moment is no answer, and the
//     window of retries stands still.
//   - Errors are not answers: [engine.ErrBusy] is retried for at least ten
//     minutes, any other error a few times.
//   - Journal: with [Options.Journal] final results are written to disk when
//     they arrive.
//     After a crash the next run over the same list continues from there.
//     [Options.Drain] ends a run soon, and leaves the rest to the next one.
//   - Groups: [GroupFor] says what an address is for the owner of a mailing
//     list. The [Summary] counts rows and distinct addresses of each [Group].
//
// With the defaults a program that does nothing else takes 60 MB for a list of
// a million addresses, 160 MB when a tenth of them waits for a retry, and
// 270 MB when all do.
//
// Without a journal nothing is durable: after a crash, results that the sink
// did not get are lost.
//
// The temporary files contain addresses and results, are readable by their
// owner only, and are removed when Run returns; if the system can remove an
// open file, also after a crash.
package bulk
