package drive

import (
	"sync/atomic"
	"time"
)

// Queue hands the addresses out, each once, until they or the time are used up.
// It is safe for concurrent use.
type Queue struct {
	addresses []string
	until     time.Time
	next      atomic.Int64
}

// newQueue makes a queue that ends after limit.
func newQueue(addresses []string, limit time.Duration) *Queue {
	return &Queue{addresses: addresses, until: time.Now().Add(limit)}
}

// Next hands out the next address and its place.
func (q *Queue) Next() (place int, address string, ok bool) {
	if time.Now().After(q.until) {
		return 0, "", false
	}
	place = int(q.next.Add(1)) - 1
	if place >= len(q.addresses) {
		return 0, "", false
	}
	return place, q.addresses[place], true
}
