// Package bulk verifies lists of any size in bounded memory.
//
// [Run] takes addresses from a [Source], asks a [Verifier] about them, a [GroupVerifier] about several of a domain at a time, and hands the results to a
// [Sink].
//
//   - Order: the sink gets the results in the order of the source, each exactly once. A result that is done before its turn waits in memory,
//     and beyond [Limits.HeldBytes] in a temporary file.
//
//   - Plan: a window of the list is read ahead, so that addresses of one domain are asked about together and share sessions with its mail
//     host. Domains take turns: a large one never holds up the others, nor they it.
//
//   - Duplicates: an address that is under way, waits for a retry, or was done recently is not verified again; its result is given again,
//     with the spelling of the duplicate. The domain is compared as DNS knows it and the local-part exactly, but for needless quotes. How many
//     addresses are remembered after they are done is bounded by [Limits.RecentBytes]; one that comes again after that is verified again.
//
//   - Retries: an [engine.Unknown] result that says when asking again is worth it is no final word before [Options.RetryWindow] is over. The
//     address is asked about again after that time or a growing wait, whichever is longer, and a last time when the window ends; if asking again
//     is not worth it until then, the result is final at once. The last answer counts. Those who wait hold up neither reading nor asking.
//
//   - Limits of our own are no answers: [engine.ErrBusy] is tried again for ten minutes at least, any other error a few times.
//
//   - Journal: with [Options.Journal] final results are on disk as they come. After a crash the next run over the same list has them from there.
//
// Without a journal nothing is durable: after a crash, what the sink was not given is lost. The parts are apart for a store that is: what to ask
// when (planner, pacer, waits) knows nothing of sources, sinks and the order of results.
//
// The temporary files hold what was given and the results, are readable by their owner only, and are gone when Run returns; where the system
// can remove an open file, also after a crash.
package bulk
