// Package schedule decides which mail host is asked about whom, when, by which
// egress and in which session. It is a value: [State.Handle] takes what has
// happened and returns what is to be done. It knows no goroutine, lock,
// channel, socket, context or clock, so that it can be simulated. What replies
// prove is decided by package belief, how a provider is paced by package pace.
//
// These are its rules. Each is one function or a few, which name it.
//
// # 1. Jobs
//
//  1. A job is one question to one host. It gets exactly one answer.
//  2. Its budget is the time that the host has for it. It runs only while a
//     session has the job, and begins anew if others were asked about in the
//     same transaction. Its limit is when its caller waits no longer: then it
//     is answered with what is known. If its session ends at the same moment,
//     that has 100 ms to say more.
//  3. A session is in one phase: opening, busy, idle or closing. One function
//     changes it, and the tallies of the host, the provider, the egress and of
//     all follow from it. Limits count a session until it is closed.
//  4. A session that works for nobody any more is ended at once.
//  5. When a list ends, what is being asked is finished, and what waits, or
//     would again, is answered.
//  6. When the plan is shut, the same goes for all.
//
// # 2. The order at a host
//
//  1. Single checks come first, and then lists. Of both, first those that must
//     be asked alone, then those that were asked before, as their answers help
//     the others, and then the others by turn.
//  2. The jobs of a domain that are of one list take turns of ten.
//  3. Single checks and lists never share a transaction. A list that has a
//     session to itself gives it to a single check that has come meanwhile.
//  4. An eighth of each limit, or one, is kept for single checks.
//
// # 3. Transactions
//
//  1. A transaction has jobs of one kind: with SMTPUTF8 or without, and no more
//     than each of them allows. One that must be alone is the first of its
//     session, by itself.
//  2. It has as many recipients as the host is known to take, and to answer in
//     three seconds; where it is slow, the jobs are spread over its sessions.
//  3. It names a control for each domain of which it is not known whether the
//     host accepts every mailbox there, or else, as a canary, one that the host
//     refuses. What the host says about a control is believed for ten minutes.
//  4. One that is not believed is asked again, in transactions a quarter as
//     large, and in the end alone: that answer is final.
//  5. Where there is no time to ask again, what is known is the answer, without
//     what is not believed.
//  6. SMTPUTF8 is missing where two sessions lack it and none is known that
//     offered it.
//
// # 4. Proofs
//
//  1. A transaction of several targets, or with a host that takes few of them
//     in a session, names a mailbox behind them that the host has accepted: of
//     its targets, one of the last two. While all that it has accepted may be
//     exempt, a transaction has one target, and that behind it. If the host has
//     accepted nobody, a transaction of one that is alone names postmaster, but
//     for the first target that the host hears of.
//  2. Else refusals are followed by a transaction with the proof alone, the
//     last of its session. It proves the refusals in whose transaction the host
//     cannot have turned: those of one target, and of those that are not in
//     other words if the proof may be exempt. The others are asked again with a
//     proof, or in smaller transactions.
//  3. Where nobody is known whom the host accepts, refusals are held until it
//     has accepted somebody, and then asked again. When the host has no other
//     work left, they are answered as unproven.
//  4. Of transactions that were under way together none knows which refusal was
//     the first: its words prove something when all have ended.
//  5. A host that refuses a mailbox which is first and alone in a session,
//     although it had accepted it, refuses everybody. It rests for half a
//     minute with one session from then on: lists wait, five times in a row,
//     and single checks are answered. Until it accepts somebody, it is known
//     for that for a day. It is not asked for that long, either, if it could
//     not be reached, or ended two sessions with one target each and never
//     answered about a recipient, but for a job with more time than it was
//     silent for; nor for an hour, if it answers five times in a row with a
//     limit of its own. A session that is opened meanwhile ends none of that
//     but that it could not be reached.
//
// # 5. Sessions
//
//  1. Another one is opened if there is none; for each job that must be alone;
//     if more jobs wait than those being opened and one more will take; or if
//     a job has waited for 300 ms, and for 100 ms since the last was begun. A
//     single check beside a list does not wait for busy ones, but for those
//     that are being opened and have room for it.
//  2. Idle ones take jobs before others are opened. One makes way for a session
//     that has to be new.
//  3. A session has 30 transactions, 200 recipients and two minutes, ten
//     seconds if hosts of its provider wait. It ends, too, if the host is to
//     have fewer, if the next refusal could be one too many, or if the provider
//     leaves no room for a question.
//  4. It is kept for five seconds, and ends when somebody needs its place.
//  5. If it could not be opened and others are open, or were five seconds ago,
//     the host has as many as it takes: the job waits. Else the failure is the
//     answer of all that wait, and for half a minute of those that come, but
//     not of one with more time, if it might have been a matter of that. Of a
//     host that does not answer, only sessions count that it has greeted.
//  6. An extension on whose trial a session ended is not used with the host for
//     an hour.
//
// # 6. Providers
//
//  1. A session begins when the limits of its host, its provider, its egress
//     and of all allow it.
//  2. The hosts of a provider take turns, those with single checks first, and
//     so do providers that wait for a session of their egress or of all.
//  3. A list says how many of its jobs may wait. A provider that has no room
//     leaves as much of that as waits for it; more are told to come back.
//  4. A job that would have to wait longer for the turn of its host than its
//     caller does is told so at once.
//  5. No more than so many single checks wait for a host.
//  6. A host that is first asked under a name in no table is its provider's as
//     soon as a job has that name.
//
// # 7. Pauses
//
//  1. A provider that is paused is not asked, not even in a session that is
//     open by then, and all that wait are told so.
//  2. If it blocks two egresses, it is paused by all until it blocks fewer.
//
// # 8. Egresses
//
//  1. The egresses of the provider's route serve it, or else those of the
//     default route, or else all; of them those that reach the address.
//  2. Each site has one of them, by a hash of the site and the egress. Shares
//     are in proportion to weights.
//  3. A site that has greylisted us is asked by the egress that it has seen,
//     for a day.
//  4. An egress that failed three times in a row, or by which ten hosts in a
//     row were out of reach, is down. Its sites are those of the others until
//     it works again; one question each half minute finds that out.
//  5. One that was removed is asked for nothing more. Its sessions end behind
//     what they do, and those that wait for it go on by another.
//  6. What a job could not be asked by is not chosen for it again.
//
// # 9. Limits of a host
//
//  1. Sessions at a time, recipients of a transaction, transactions and
//     refusals of a session are limits of one kind. They begin small: four
//     sessions (two where the provider is strict), twenty recipients, nine
//     refusals. They grow with success that used them up, the first by one and
//     the others to double, until the first trouble halves them. From then on
//     they grow by one, the first after a minute and as many successes as there
//     are sessions, the others after eight.
//  2. Sessions halve when the host puts one off while others are open.
//  3. Refusals grow by trial: a session that has used them up names few
//     recipients more. If the host is not slow to answer behind them, sessions
//     may have eighteen.
//  4. Trouble halves what the session most likely ran into: refusals if it had
//     many, transactions if it had several, or else recipients.
//  5. Trouble is forgotten after an hour, and all that was learnt after one
//     without a change.
package schedule
