package bulk

import (
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/mailboxkey"
)

// task is an address to be verified. It is small while it waits for a retry,
// because then there may be many.
type task struct {
	place     int64 // in the order
	key       key
	record    *record // nil while it waits
	buffered  ref     // the record while it waits
	tries     tried
	due       time.Duration // when it is tried again, since the start of the run
	followers *follower
	// while it is planned
	queue   *domainQueue
	next    *task // in the queue
	ofLarge bool
	scouts  bool // in progress as the first of its domain
	// while it waits
	offline bool   // for our own network
	heldFor uint16 // for a provider that is asked as much as it may be: its number in the run, from 1
}

// follower is a duplicate of a task's address.
type follower struct {
	place    int64
	buffered ref
	next     *follower
}

// key identifies an address. Zero is for texts that are not addresses:
// verifying them again is faster than remembering them.
type key = mailboxkey.Key

// identify returns the key and the domain of an address.
func identify(email string) (key, string) {
	parsed, err := address.Read(email)
	if err != nil {
		return key{}, ""
	}
	return mailboxkey.Of(parsed.Mailbox()), parsed.Domain()
}
