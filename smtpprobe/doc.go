// Package smtpprobe asks the mail hosts of a domain whether they take mail for
// a mailbox, and returns what they answered.
//
// [Pool] keeps sessions with mail hosts and shares them among probes, as
// http.Transport does for requests. [Pool.Probe] asks about one mailbox,
// [Pool.ProbeAll] about several. They never send DATA or BDAT, so nothing can
// be delivered. What they return are facts ([Findings]): replies, failures and
// a transcript, without a verdict. An error says what kept us from asking: a
// caller that gave up, too many that wait ([ErrBusy]), no file descriptor left,
// a closed pool ([ErrClosed]).
//
// # A probe
//
//  1. Its route is the addresses of the mail hosts in the given order
//     (route.go). The next one is asked only if one cannot be reached, refuses
//     for the moment before RCPT, or lacks SMTPUTF8 for a target that needs it;
//     one of another provider also if one refuses the session for good.
//  2. It waits as a job for a session with its mail host. Which host is asked
//     about whom, when, by which egress and in which session is planned by
//     package internal/schedule, whose package comment has the rules; the pool
//     does what the plan says (shell.go). The sessions with one address and in
//     all, and the jobs that wait, are limited ([Config]). A single check
//     waits within its time; the wait takes none from the host.
//  3. A session is opened: greeting, EHLO (HELO where that is not known),
//     STARTTLS where offered (visit.go, package internal/wire).
//  4. It takes several jobs into a transaction: MAIL, RCPT for each target,
//     RCPT for the control, a random mailbox, and RSET; in one group where
//     PIPELINING is offered (record.go, package internal/transaction).
//  5. The transaction is settled: each job gets its answer, or waits to be
//     asked again (package internal/belief, below).
//     A session that ends while it first uses STARTTLS or PIPELINING, be it by
//     silence, a hang-up or a refusal of the command itself, shows that the
//     host may not know what it offers. What failed is not used with this host
//     for an hour, and the question is put once more (route.go).
//  6. The session is kept for the next jobs of its host, within its caps
//     ([SessionCaps]), and ends with QUIT, a command of its own that is sent
//     after the answers were given.
//
// # What is believed
//
//  1. A transaction proves that it is in step. It ends with a control, which
//     the host refuses, and RSET, which it accepts. One reply too many puts the
//     control's refusal in RSET's place; one too few leaves RSET unanswered. No
//     reply may be left over.
//  2. A transaction is believed as a whole or not at all. If it is out of step,
//     or ends in 421, a hang-up, "too many recipients" or silence, its replies
//     are dropped and its jobs asked again, in a transaction a quarter as
//     large. One that was the only job of a transaction is then asked alone:
//     one command at a time, in a session of its own. That answer is final. A
//     mailbox at which the host falls silent owns that timeout.
//  3. Behind the first recipient of a session a reply is believed that says
//     what is the matter with the mailbox: it is accepted (also with 252), does
//     not exist, is disabled, has moved or is full
//     ([replies.Class.AboutMailbox]). So is greylisting, as to ask again at
//     once is what it is against. Anything else may be about the session, and
//     the recipient is asked about alone, once per host and wording.
//     A control that is refused, and not called unknown, says nothing by
//     itself: it may have been one recipient too many, whatever the words. So
//     it is named again, in a transaction of its own, and if it is refused for
//     good there, too, an accepted target is named in another one behind it. If
//     the host accepts that again, the refusal was about the control
//     ([Session].Behind). Beside several targets, another outcome means that
//     these were too many. Where a host asks for another try within five
//     seconds, a target that is alone in its session gets that try there.
//  4. A refusal beside an accepted control is confirmed alone. A reply that
//     names another recipient is believed for nobody, unless the host gives the
//     target the same name again when it is alone. The postmaster is no other
//     recipient: many hosts name it as somebody to turn to.
//  5. A refusal counts when an acceptance follows it. Hosts protect themselves
//     against harvesting: after some refusals or recipients they refuse
//     everybody, in their ordinary words. So the host has to accept somebody
//     behind a refusal: another target, or a mailbox that it accepted before
//     (postmaster where there is none). A transaction of several targets names
//     such a mailbox behind them, as does each transaction with a host that
//     takes few of them in a session. Else it is named in a transaction of its
//     own, the last of the session: nothing would show that it was in step.
//     That proves one refusal, and no more: a host may refuse everybody for the
//     rest of a transaction. If it is refused, the host is hostile: the
//     refusals are dropped and asked again in a new session. What cannot be
//     proven is marked ([Session].Unproven). The first target that a host hears
//     of from an egress, first in its session, needs no proof. Hosts exempt
//     postmaster and abuse from what they do to others: these prove refusals in
//     the words of the host's first refusal only. One in other words is asked
//     about alone, once for each wording. They prove one of a transaction, the
//     first, and none where the host refuses a target that it had accepted:
//     that is a proof which failed.
//  6. SMTPUTF8 is missing where two sessions lack it and none is known that
//     offered it: the machines behind an address may differ.
//
// # Limits
//
// Recipients of a transaction, transactions and refusals of a session, and
// sessions with a host are one number each: halved on trouble, grown on
// success, forgotten after an hour (rules 9 of package internal/schedule).
// Refusals grow by trial: a session that has used up its nine names few
// recipients more, and if the host is not slow to answer RSET behind them,
// sessions may have eighteen. A host gets four sessions at first, or two where
// its provider is strict, and one more with each transaction that was believed
// while jobs wait, up to [Config].MaxSessionsPerHost; half as many when it puts
// one off while others are open, and more again after a minute. A probe by
// itself never has more than one session at a time. A host that could not be
// reached, or never answered about a recipient in two sessions with one target
// each, is not tried again for 30 seconds, and one that answers five times in a
// row with a limit of its own for an hour. The answer about a control is kept
// for ten minutes. All of it is bounded, and gone with the pool, but
// for what [Pool.PaceMemory] returns.
//
// All mail hosts of a provider together have the limits of [Config].Pace: for
// sessions, sessions begun in a minute, and recipients in a session, a minute
// and a day. One that refuses us is paused; one that finds us too fast gets
// half of the sessions for some time (package pace). Its hosts take turns, and
// so do the domains of a host, and the lists that ask about one domain. Probes
// that are of no list ([Request].Caller) come first, and have transactions of
// their own; an eighth of each limit is kept for them ([pace.ForLists]). A
// probe that cannot wait for its turn ends with
// smtp.KindLimited; many that may be held back are sent away ([HeldBackError])
// for the sake of other providers.
//
// # Egresses
//
// An egress is a proxy or an address of this machine (package egress).
// Sessions, and what is known of mail hosts and providers, belong to it,
// because hosts take each for a client of its own. These are the rules by which
// one is chosen (rules 7 and 8 of package internal/schedule):
//
//  1. The egresses of the provider's route serve it, or else those of the
//     default route, or else all; of them those that reach the address's
//     family.
//  2. Each site, a /24 or /48 of mail hosts, has one of them, by a hash of the
//     site and the egress. Shares are in proportion to weights. When one is
//     added or removed, the others keep their sites.
//  3. A site that has greylisted us is asked by the egress that it has seen,
//     for a day.
//  4. An egress that failed three times in a row, or by which ten hosts in a
//     row were out of reach, is down. Its sites are those of the others until
//     it works again; one question each half minute finds that out.
//  5. A provider that blocks us is paused by the egress that it blocked
//     (package pace), and asked by the others. If it blocks a second one, it is
//     paused by all, also by those that are added, until it blocks fewer: an
//     address more would be blocked, too.
//  6. A reply is an answer. Another egress is asked only where the first could
//     not ask: it failed (smtp.KindEgress), it was removed, or the provider is
//     paused by it. Nothing of that is held against the host.
//
// Egresses are added and removed with [Pool.SetEgresses].
//
// # Standards and threats
//
// It follows RFC 5321 (SMTP), RFC 2034 and RFC 3463 (enhanced status codes),
// RFC 2920 (PIPELINING), RFC 3207 (STARTTLS), RFC 7435 (opportunistic security)
// and RFC 6531 (SMTPUTF8).
//
// Servers are taken to be honest, and perhaps broken. A host that wants a
// mailbox to be called dead answers 550 and needs no trick. Nothing that a host
// sends may crash or hang us, or show one caller's recipients to another: every
// read is bounded in time, line length, lines and bytes, and text is cleaned to
// printable UTF-8.
//
// The package does not promise who answered: it does not verify certificates
// (DANE and MTA-STS are not read). It dials the addresses that it is given;
// refusing reserved ones is up to the caller. It resolves no names. A host that
// both leaves out a reply and repeats another one in the same group, and names
// nobody, is not found out; nor is one that refuses everybody when it first
// hears of us.
//
// Experimental: this package may change in any minor version. Programs verify
// with package engine.
package smtpprobe
