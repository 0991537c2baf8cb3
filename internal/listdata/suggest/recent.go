package suggest

import (
	"hash/maphash"
	"sync/atomic"
)

// recentSlots is how many answers are remembered at most: those of a list that
// has some such domains again and again.
const recentSlots = 1 << 9

// recent remembers answers, each in the one place that its domain may have. It
// is safe for concurrent use.
type recent struct {
	seed  maphash.Seed
	slots [recentSlots]atomic.Pointer[suggestion]
}

type suggestion struct {
	domain, meant string
	ok            bool
}

// of returns the answer for a domain; nil: it is not remembered.
func (r *recent) of(domain string) *suggestion {
	if s := r.slot(domain).Load(); s != nil && s.domain == domain {
		return s
	}
	return nil
}

func (r *recent) remember(s suggestion) { r.slot(s.domain).Store(&s) }

func (r *recent) slot(domain string) *atomic.Pointer[suggestion] {
	return &r.slots[maphash.String(r.seed, domain)%recentSlots]
}
