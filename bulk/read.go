package bulk

import (
	"context"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/given"
)

// reading is the outcome of a call of the source.
type reading struct {
	item   Item
	known  *answer // nobody is asked
	key    key
	domain string
	err    error
}

// read passes on what the source yields, until ctx is cancelled or the source
// returns an error.
func (r *run) read(ctx context.Context, source Source) {
	for {
		item, err := source.Next(ctx)
		next := reading{item: item, err: err}
		if err == nil {
			r.look(&next)
		}
		select {
		case r.reads <- next:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// look finds out what an item is about.
func (r *run) look(next *reading) {
	if known := next.item.Known; known != nil {
		next.known = r.answer(*known)
		return
	}
	if r.options.Clean {
		if _, result, one := given.Clean(next.item.Email); !one {
			next.known = r.answer(result)
			return
		}
	}
	next.key, next.domain = identify(r.options.address(next.item))
}

// address is the address of an item.
func (o *Options) address(item Item) string {
	if o.Clean {
		return address.Clean(item.Email).Address
	}
	return item.Email
}
