package schedule

import "time"

// What a session is used for.
const (
	// ManyRefused is how many refusals any host takes without delay: one less
	// than Postfix takes before it delays all replies (smtpd_soft_error_limit).
	// A host that is not slower behind one more gets mostRefused: two less than
	// Postfix takes before it hangs up (smtpd_hard_error_limit).
	ManyRefused = 9
	mostRefused = 18
	// mostAge, mostTransactions and mostNamed end a session: hosts count, and
	// slow down or hang up on clients that stay for long.
	mostAge          = 2 * time.Minute
	mostTransactions = 30
	mostNamed        = 200 // recipients
	// mostRecipients of a transaction are what a host must take at least (RFC
	// 5321 §4.5.3.1.8), firstRecipients is the size of the first with a host.
	mostRecipients  = 100
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

// Times.
const (
	// newSessionDelay is how long a job waits for a busy session before another
	// one is opened.
	newSessionDelay = 300 * time.Millisecond
	// nextSessionDelay is how long it waits once another one was opened.
	nextSessionDelay = 100 * time.Millisecond
	// turnLasts is how long a session goes on while hosts of its provider wait
	// for one.
	turnLasts = 10 * time.Second
	// LeastWait is the shortest time after which a caller is told to ask again.
	LeastWait = 10 * time.Second
	// lastWords is how long the end of a session that comes at the same time as
	// that of a caller's patience is awaited: it tells more.
	lastWords = 100 * time.Millisecond
	// failureLasts is how long a host that could not be asked is not tried
	// again: a list has its addresses close together, and a person who tries
	// again has waited as long.
	failureLasts = 30 * time.Second
	// atLimitLasts is how long after a session a host that refuses the next is
	// taken to be at its limit: it may not have noticed the end of the others.
	// atLimitPause is the time to notice.
	atLimitLasts = 5 * time.Second
	atLimitPause = time.Second
	// limitsLast is how long a host's limits, and mailboxes that it accepted,
	// are believed; controlLasts the answer about a control.
	limitsLast   = time.Hour
	controlLasts = 10 * time.Minute
	// hostileLasts is the same for mailboxes of a host that refused everybody
	// when it was last asked: Exim's ratelimit, say, may count for a day.
	hostileLasts = 24 * time.Hour
	// trialLasts is how long an extension is not used with a host with which it
	// failed.
	trialLasts = time.Hour
	// limitedLasts is how long a host is left alone after it has answered with
	// a limit of its own: such limits are of recipients or refusals in an hour.
	limitedLasts = time.Hour
	// downLasts is how often an egress that is down is tried.
	downLasts = 30 * time.Second
	// greylistLasts is how long a site that has greylisted us is asked by the
	// same egress: most hosts forget a client that does not come back in a day
	// or two.
	greylistLasts = 24 * time.Hour
)

// Numbers.
const (
	// perTurn is how many jobs of a line are served in one of its turns.
	perTurn = 10
	// maxHostile is how often a host may refuse everybody before lists no
	// longer wait for it.
	maxHostile = 5
	// maxMute is how many sessions with one target each a host may end without
	// an answer before it counts as one that cannot be asked.
	maxMute = 2
	// maxLimited is how many sessions in a row a host may answer with a limit
	// of its own. Then it is left alone.
	maxLimited = 5
	// maxAtLimit is how often a job may find a host at its limit that has no
	// other session with us.
	maxAtLimit = 2
	// mostBlocked is how many egresses a provider may block before none asks
	// it.
	mostBlocked = 2
	// downAfter is how many sessions in a row must fail for the egress's own
	// fault, silentHosts how many mail hosts in a row must be out of reach by
	// it: some are always down.
	downAfter   = 3
	silentHosts = 10
	// mostSkipped is how many jobs that do not suit a transaction are passed
	// over to find those that do.
	mostSkipped = 100

	maxDomainNotes   = 100_000
	maxProofNotes    = 100_000
	maxProviderNotes = 10_000
	maxGreylisted    = 10_000
	maxScored        = 10_000
	maxHosts         = 20_000
)
