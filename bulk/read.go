package bulk

import (
	"context"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
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
		if result, none := notOne(next.item.Email); none {
			next.known = r.answer(result)
			return
		}
	}
	next.key, next.domain = identify(r.options.address(next.item))
}

// notOne returns the result of a text that does not have exactly one address.
func notOne(text string) (rcpt.Result, bool) {
	switch cleaned := address.Clean(text); {
	case cleaned.Several:
		return engine.NotAskedAbout(rcpt.ReasonSeveralAddresses, text), true
	case cleaned.Address == "":
		return engine.NotAskedAbout(rcpt.ReasonNoAddress, text), true
	}
	return rcpt.Result{}, false
}

// address is the address of an item.
func (o *Options) address(item Item) string {
	if o.Clean {
		return address.Clean(item.Email).Address
	}
	return item.Email
}
