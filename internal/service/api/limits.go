package api

import "time"

// Limits of what clients may send and how long they may take.
const (
	// maxHeader bounds request line and header fields. RFC 9110 §4.1 recommends
	// to support URIs of at least 8000 octets.
	maxHeader = 32 << 10
	// maxBody bounds a body of JSON.
	maxBody = 256 << 10
	// headerTimeout and readTimeout bound how long a request may take to
	// arrive.
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	// idleTimeout is how long a connection may wait for its next request. It is
	// short, because clients without a key can hold connections, too.
	idleTimeout = 30 * time.Second
	// maxStreams is how many requests a connection of HTTP/2 may have at a
	// time: as many as RFC 9113 §6.5.2 asks for at least.
	maxStreams = 100
	// readyTimeout is how long /readyz waits for the database.
	readyTimeout = 2 * time.Second
	// slack is added to the time of a verification for the rest of a request's
	// life.
	slack = 5 * time.Second
)

// DefaultMaxConnections is how many connections are open at a time, and an
// eighth of it how many of one network. Each takes a descriptor, and SMTP
// sessions and DNS queries need some as well. It is more than the verifications
// that run and wait for their turn.
const DefaultMaxConnections = 4096
