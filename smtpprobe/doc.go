// Package smtpprobe asks the mail hosts of a domain whether they take mail for a mailbox, and says what they answered.
//
// [Pool.Probe] connects to the hosts in the given order and speaks SMTP up to RCPT: greeting, EHLO (HELO where that is not known), STARTTLS
// where offered, MAIL, RCPT for the mailbox in question, RCPT for a random one beside it, the control. It never sends DATA or BDAT, so nothing can
// be delivered. [Pool.ProbeAll] does so for several mailboxes at a time. What they return are facts, [Findings]: replies, failures and a transcript,
// without a verdict. What kept us from asking is no fact about the host, and an error: a caller that gave up, too many who wait ([ErrBusy]), no file
// descriptor left, a pool that was closed ([ErrClosed]).
//
// # Hosts
//
// The next host is asked only where one cannot be reached, refuses for the moment before RCPT or lacks SMTPUTF8 for a target that needs it; no
// address is asked twice but for a second try in plain text after TLS has failed. The sessions open to one address and in all, and those who wait,
// are limited ([Config]); the wait is not taken from the time of the probe ([Request]).
//
// # Sessions
//
// A session that has answered is kept for the next recipients of its host, within its caps ([SessionCaps]), and ends with QUIT. Those who wait for
// the same host are asked about in one transaction with several recipients, more with each that went well. Where a host has had enough (a limit
// on recipients, 421, a hang-up, slow refusals, silence over mailboxes about which it answers by themselves), later transactions and sessions stop short
// of that for an hour.
//
// What a host says in company may be about the company. A reply to a recipient who was not the first of the session, and that names no mailbox but a
// limit, a policy, us or nothing, is believed only where the host has given the same to a first recipient; 421, silence and a hang-up never
// are. Who was told such a thing is asked about again, at most twice, in the end alone. Replies that are out of step with the commands are believed
// for nobody; behind transactions with company, and where an acceptance might be another's, the pool listens 10 ms for a reply too many, and up to a
// second where one reply came much sooner than another and their words do not show them to be in step. What a host says to RSET, which ends a
// transaction with company, is remembered for an hour: where other words come in its place, and a recipient was given the same, a reply came twice. QUIT
// comes with the last recipients of a session only where these words are known, and then no others will do.
// A target that is refused for good while the control is accepted is asked about again by itself, because that is also what two answers in each
// other's place look like; a reply that names another recipient is believed for nobody. Where a group breaks off, replies that were left out may have
// moved others. Those up to one that names its own recipient are in step; of the rest, all are asked about again where QUIT was in the group, and
// who was refused where the host has fallen silent, a single target one command at a time. Whoever shares a session has only their own recipients in
// the transcript.
//
// # Ways out
//
// With several ways out, proxies or addresses of this machine ([Egress]), one is chosen for each mail host, always the same. Sessions, and how a
// provider takes to us, belong to the way. One that fails is no word on the host ([KindEgress]), and is not remembered.
//
// # Memory
//
// The pool remembers the answer about a control for a domain at a host, for ten minutes and 200 targets, where it is clear (Session.ControlShared);
// what came of a host that could not be asked, or that has ended eight sessions in a row without an answer to RCPT, for 30 seconds; and that a known provider has refused us for five domains in a row, or another
// host for eight, without an answer for a mailbox between: then its hosts are not asked for five minutes or, when it happens again, up to an hour ([KindPaused]). Sessions with a
// provider that finds us too fast begin at growing intervals. All of it is bounded, and gone with the pool.
//
// # Standards and limits
//
// It follows RFC 5321 (SMTP), RFC 2034 and RFC 3463 (enhanced status codes), RFC 2920 (PIPELINING), RFC 3207 (STARTTLS), RFC 7435 (opportunistic
// security) and RFC 6531 (SMTPUTF8).
//
// Mail hosts are chosen by strangers and nothing they send is trusted: every read is bounded in time, line length, lines and bytes, text is
// cleaned to printable UTF-8, and a session whose replies are out of step says nothing about the mailbox.
//
// The package does not promise who answered: it does not verify certificates (DANE and MTA-STS are not read), and it dials whatever addresses
// it is given; refusing reserved ones is up to the caller. It resolves no names. It does not promise that a host that lies plainly to those who
// ask much, with the very words that it has for an unknown mailbox, is found out, nor one that answers the recipients of a transaction in another
// order than they were named in, and names none, where the control is not among those it mixes up; nor one that leaves out a reply, or the last line of
// one, or answers twice, names nobody, and hangs up at once; nor one that says something behind EHLO twice, names nobody, and takes more than a second
// over each reply, falls silent before a reply is left over, or drops the RSET behind it, where what comes in the place of that does not show it: there
// is no RSET behind a single target, its words are not known yet or those for a recipient, or nobody else was given what comes, and no QUIT with it; nor
// one that leaves out a reply and falls silent later, over another mailbox as a rule, where it is an acceptance that has moved: only refusals are asked
// for again then, since hosts that are slow over some mailboxes are common, and would be asked twice about nearly all. It does not promise that a control
// is asked only once for its time: sessions that are open together may each name one.
package smtpprobe
