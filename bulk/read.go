package bulk

import "context"

// reading is what a call of the source brought.
type reading struct {
	item   Item
	key    key
	domain string
	err    error
}

// read hands over what the source yields, until ctx is cancelled or after an
// error.
func read(ctx context.Context, source Source, to chan<- reading) {
	for {
		item, err := source.Next(ctx)
		next := reading{item: item, err: err}
		if err == nil {
			next.key, next.domain = identify(item.Email)
		}
		select {
		case to <- next:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
