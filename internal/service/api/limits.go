package api

import "time"

// Limits of what clients may send and how long they may take.
const (
	// maxHeader bounds request line and header fields. RFC 9110 §4.1 recommends
	// to support URIs of at least 8000 octets.
	maxHeader = 32 << 10
	// maxQuery bounds the query: a path has at most 256 octets (RFC 5321
	// §4.5.3.1.3), each three when percent-encoded; the rest is for wrong
	// addresses, which deserve their answer too.
	maxQuery = 8 << 10
	// maxAddresses is how many addresses one request can be about, and maxBody
	// bounds its body: each has at most 254 octets, of which JSON may make six
	// times as many.
	maxAddresses = 100
	maxBody      = 256 << 10
	// maxIgnored is the longest body that a request without a body may have.
	maxIgnored = 8 << 10
	// headerTimeout and readTimeout bound how long a request may take to
	// arrive.
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	// idleTimeout is how long a connection may wait for its next request. It is
	// short, because clients without a key can hold connections, too.
	idleTimeout = 30 * time.Second
	// silence is how long a connection may take to send its request while
	// others wait: this machine may be busy and slow to read it.
	silence = 5 * time.Second
	// slotWait is how long a request waits for a slot if the limit of
	// verifications is reached.
	slotWait = time.Second
	// orphanWait is how long the end of the server waits for verifications
	// without clients, which it has cancelled.
	orphanWait = time.Second
	// readyTimeout is how long /readyz waits for the database.
	readyTimeout = 2 * time.Second
	// retryAfter is the hint, in seconds, to a client that could not be served.
	retryAfter = "5"
	// minTimeout is the smallest timeout of a request: less is unlikely to be
	// meant.
	minTimeout = time.Millisecond
	// milliseconds is the least timeout that is in milliseconds and not in
	// seconds. As seconds it would be longer than any client waits.
	milliseconds = 1000
	// slack is added to the time of a verification for the rest of a request's
	// life.
	slack = 5 * time.Second
)

// DefaultConcurrency is how many verifications run at a time. Most of them wait
// for a mail host, so the limit protects the memory.
const DefaultConcurrency = 1000

// DefaultMaxConnections is how many connections are open at a time; for one
// more, one without a complete request is closed. Each takes a descriptor, and
// SMTP sessions and DNS queries need some as well. It is more than the
// verifications that run and wait for their turn.
const DefaultMaxConnections = 4096
