package jobs

import (
	"sync"
	"time"
)

// rate knows how many addresses this node has settled lately.
type rate struct {
	mu     sync.Mutex
	from   time.Time
	last   time.Time
	n      int64
	second float64 // in a second; zero: not known
}

// usualRate is assumed while nothing has been measured.
const usualRate = 50

// add counts addresses. A pause of more than rateMemory begins a new count.
func (r *rate) add(n int64, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.last) > rateMemory {
		r.from, r.n = now, 0
	}
	r.n += n
	r.last = now
	if took := now.Sub(r.from); took >= time.Second {
		r.second = float64(r.n) / took.Seconds()
	}
	if now.Sub(r.from) > 10*rateMemory {
		r.from, r.n = now, 0
	}
}

const rateMemory = 10 * time.Second

// estimate is how long so many addresses take.
func (r *rate) estimate(n int64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	second := r.second
	if second <= 0 {
		second = usualRate
	}
	return time.Duration(float64(n) / second * float64(time.Second)).Round(time.Second)
}
