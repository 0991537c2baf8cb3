package bulk

import "context"

// reading is the outcome of a call of the source.
type reading struct {
	item   Item
	key    key
	domain string
	err    error
}

// read passes on what the source yields, until ctx is cancelled or the source
// returns an error.
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
