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
	// retryHostile is after which time a caller is told to ask a host again
	// that refuses everybody.
	retryHostile = 2 * time.Minute
)

// What is kept of a session that is remembered for others.
const (
	// maxBriefReply and maxBriefLines are the lines kept of each reply, and of
	// the transcript and the extensions; maxBriefText is the bytes of each
	// line.
	maxBriefReply = 4
	maxBriefLines = 24
	maxBriefText  = 256
)
