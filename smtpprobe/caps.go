package smtpprobe

import "time"

// Bounds on what a stranger's server can make us do and keep.
const (
	// maxConnections is the number of connections of one Probe. A domain whose
	// first six do not answer is a matter for a later try.
	maxConnections = 6
	// maxRoutes is the number of addresses considered at all: those that our
	// own network has no route to cost no connection.
	maxRoutes = 16
	// maxMore is the number of those that a host has more of, and that are
	// tried: each takes a connection from the next hosts.
	maxMore = 2

	// maxWays is the number of egresses that a probe tries for an address, if
	// one after the other fails.
	maxWays = 4

	// maxMailbox is the longest mailbox: a path of 256 octets without its angle
	// brackets (RFC 5321 §4.5.3.1.3).
	maxMailbox = 254
	// maxDomain is the longest domain name or address literal (RFC 5321
	// §4.5.3.1.2).
	maxDomain = 255
)

// Defaults of [Config].
const (
	defaultPort               = 25
	defaultMaxSessionsPerHost = 20
	defaultMaxSessions        = 1000

	// defaultMaxWaitingPerHost keeps one slow host from holding every caller.
	// At four sessions of a second each, the last of so many waits for a
	// minute; a host that allows more makes it shorter, and one that hangs
	// longer: then the context of the caller is what bounds it.
	defaultMaxWaitingPerHost = 256

	// defaultConnect lets a lost SYN be sent again twice (after 1 s and 3 s).
	defaultConnect = 6 * time.Second
	// defaultCommand is far below the five minutes of RFC 5321 §4.5.3.2, which
	// are for a mail queue and not for a caller that waits.
	defaultCommand = 20 * time.Second
	defaultQuit    = 3 * time.Second
)

// What a session is used for.
const (
	defaultIdle = 5 * time.Second
	// defaultRefused is one less than Postfix takes before it delays all
	// replies (smtpd_soft_error_limit), mostRefused two less than it takes
	// before it hangs up (smtpd_hard_error_limit). A host that is not slower
	// behind one more than the former gets the latter.
	defaultRefused = 9
	mostRefused    = 18
	// mostAge, mostTransactions and mostNamed end a session: hosts count, and
	// slow down or hang up on clients that stay for long.
	mostAge          = 2 * time.Minute
	mostTransactions = 30
	mostNamed        = 200 // recipients
	// mostRecipients of a transaction are what a host must take at least (RFC
	// 5321 §4.5.3.1.8).
	mostRecipients = 100

	// firstRecipients is the size of the first transaction with a host.
	firstRecipients = 20
	// longestTransaction is how long a transaction may take, by what the last
	// one took, so that a slow host's answers do not come all at the end.
	longestTransaction = 3 * time.Second
	// shortTransaction is how long a transaction may take anyway: about as long
	// as it takes to open another session.
	shortTransaction = 500 * time.Millisecond
	// refusalsAimedAt is the part of the refusals that a session may still have
	// which its next transaction is expected to use up: chance may add to them.
	refusalsAimedAt = 0.9
)

// leastWait is the shortest wait that a caller is given.
const leastWait = 10 * time.Second

// What the pool remembers, and for how long.
const (
	// failureLasts is how long a host that could not be asked is not tried
	// again: a list has its addresses close together, and a person who tries
	// again has waited as long.
	failureLasts = 30 * time.Second
	// atLimitLasts is how long after a session a host that refuses the next is
	// taken to be at its limit: it may not have noticed the end of the others.
	// atLimitPause is the time to notice.
	atLimitLasts = 5 * time.Second
	atLimitPause = time.Second
	// maxBriefReply and maxBriefLines are the lines kept of each reply, and of
	// the transcript and the extensions, of a session that is remembered for
	// others; maxBriefText is the bytes of each line.
	maxBriefReply = 4
	maxBriefLines = 24
	maxBriefText  = 256
	// limitsLast is how long a host's limits, and mailboxes that it accepted,
	// are believed.
	limitsLast = time.Hour
	// trialLasts is how long an extension is not used with a host with which it
	// failed.
	trialLasts = time.Hour
	// deferLasts is how long a refusal waits for others to be accepted;
	// retryHostile is when to try a host again that refuses everybody.
	deferLasts   = 10 * time.Second
	retryHostile = 2 * time.Minute
	// successesToGrow is how many transactions, or sessions, have to go well
	// for a limit to grow that was halved before.
	successesToGrow = 8
	// maxHostile is how often a host may refuse everybody before callers no
	// longer wait for it.
	maxHostile = 5
	// maxMute is how many sessions with one target each a host may end without
	// an answer before it counts as one that cannot be asked: it never answered
	// about a recipient.
	maxMute = 2
	// maxLimited is how many sessions in a row a host may answer with a limit
	// of its own before it is left alone for limitedLasts: such limits are of
	// recipients or refusals in an hour.
	maxLimited   = 5
	limitedLasts = time.Hour
	// controlLasts is how long the answer about a control is believed.
	controlLasts = 10 * time.Minute
	// maxAtLimit is how often a job may find a host at its limit that has no
	// other session with us.
	maxAtLimit = 2

	maxDomainNotes   = 100_000
	maxProofNotes    = 100_000
	maxProviderNotes = 10_000
	maxHosts         = 20_000
)
