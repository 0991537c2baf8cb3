package endpoint

import "time"

const (
	// maxAddresses is how many addresses one request can be about, and maxBody
	// bounds its body: each has at most 254 octets, of which JSON may make six
	// times as many.
	maxAddresses = 100
	maxBody      = 256 << 10
	// SlotWait is how long a request waits for a slot if the limit of
	// verifications is reached.
	SlotWait = time.Second
	// orphanWait is how long the end of the server waits for verifications
	// without clients, which it has cancelled.
	orphanWait = time.Second
	// minTimeout is the smallest timeout of a request: less is unlikely to be
	// meant.
	minTimeout = time.Millisecond
	// milliseconds is the least timeout that is in milliseconds and not in
	// seconds. As seconds it would be longer than any client waits.
	milliseconds = 1000
)

// DefaultConcurrency is how many verifications run at a time. Most of them wait
// for a mail host, so the limit protects the memory.
const DefaultConcurrency = 1000
