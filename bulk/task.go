package bulk

import (
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/feed"
	"github.com/rcpt/rcpt/internal/mailboxkey"
)

// task is an address to be verified. It is small while it waits for a retry,
// because then there may be many.
type task struct {
	place     int64 // in the order
	key       key
	record    *record // nil while it waits
	buffered  ref     // the record while it waits
	tries     feed.Tries
	followers *follower
	planned   *planned // nil while it waits
	// while it waits
	offline bool   // for our own network
	heldFor uint16 // for a provider that is asked as much as it may be: its number in the run, from 1
}

// planned is a task that is queued or in progress.
type planned = feed.Address[*task]

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
