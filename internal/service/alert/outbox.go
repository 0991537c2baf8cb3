package alert

import (
	"context"
	"slices"
	"sync"
)

// outbox has the messages that wait for a sender, at most one about each
// problem: the newest.
type outbox struct {
	more chan struct{} // has an element if there may be messages

	mu       sync.Mutex
	messages []Message
}

func newOutbox() *outbox { return &outbox{more: make(chan struct{}, 1)} }

// put adds a message in the place of an older one about the same problem. It
// reports whether there was room.
func (b *outbox) put(m Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.about(m); i >= 0 {
		b.messages[i] = m
		return true
	}
	if len(b.messages) >= mostWaiting {
		return false
	}
	b.messages = append(b.messages, m)
	select {
	case b.more <- struct{}{}:
	default:
	}
	return true
}

func (b *outbox) about(m Message) int {
	return slices.IndexFunc(b.messages, func(o Message) bool { return o.Event == m.Event && o.Subject == m.Subject })
}

// next returns the first message, and waits for one if there is none.
func (b *outbox) next(ctx context.Context) (Message, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Message{}, err
		}
		if m, ok := b.first(); ok {
			return m, nil
		}
		select {
		case <-b.more:
		case <-ctx.Done():
		}
	}
}

func (b *outbox) first() (m Message, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 {
		return Message{}, false
	}
	return b.messages[0], true
}

// tried removes a message that was sent, unless there is a newer one in its
// place now. One that was not sent goes behind the others.
func (b *outbox) tried(m Message, sent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.about(m)
	current := b.messages[i]
	if sent && current != m {
		return
	}
	b.messages = slices.Delete(b.messages, i, i+1)
	if !sent {
		b.messages = append(b.messages, current)
	}
}

func (b *outbox) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.messages)
}
