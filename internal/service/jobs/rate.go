package jobs

import (
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/headway"
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

// lately is how many addresses are settled in a second.
func (r *rate) lately() headway.Rate {
	r.mu.Lock()
	defer r.mu.Unlock()
	second := r.second
	if second <= 0 {
		second = usualRate
	}
	return headway.Rate{Now: second, Lasting: second, Known: true}
}

// often counts the domains that are frequent, in bounded memory (Misra and
// Gries): each count is too low by at most one for mostDomains addresses.
type often struct{ counts map[string]int64 }

const mostDomains = 10_000

func (o *often) add(domain string) {
	if _, known := o.counts[domain]; known || len(o.counts) < mostDomains {
		o.counts[domain]++
		return
	}
	for rare := range o.counts {
		if o.counts[rare]--; o.counts[rare] == 0 {
			delete(o.counts, rare)
		}
	}
}

// estimate is how long a list would take alone. Repeated addresses are asked
// about once.
func (m *Manager) estimate(p *Plan) time.Duration {
	lately := m.rate.lately()
	l := headway.List{Left: p.Addresses, Rate: lately}
	if m.config.Pacing != nil {
		l.Paces = m.config.Pacing()
	}
	m.mu.Lock()
	l.At = m.byProvider(p.often.counts)
	m.mu.Unlock()
	for name, n := range l.At {
		l.At[name] = n * p.Addresses / max(1, p.Addresses+p.Duplicates)
	}
	if takes, known := l.Expected(m.config.Now()); known {
		return takes
	}
	return time.Duration(float64(p.Addresses) / lately.Now * float64(time.Second)).Round(time.Second)
}
