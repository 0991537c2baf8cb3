package smtpprobe

import (
	"cmp"
	"slices"
	"time"
)

// Stats is what a [Pool] is busy with.
type Stats struct {
	Sessions int // open, or about to be
	Idle     int // of them: kept for the next recipient
	UnderWay int // probes that a mail host is asked for
	Waiting  int // probes that wait for a session
	Hosts    int // mail hosts of which something is known
	// Shunned are the providers that are left alone, or asked slowly; the first to be asked again first.
	Shunned []Shunned
}

// Shunned is a provider that the pool leaves alone, or asks slowly, because of how it took to us.
type Shunned struct {
	Provider string        // its name in the table of providers, or the address of a mail host that is in none
	Until    time.Time     // left alone until then; zero: it is not
	Interval time.Duration // between sessions; zero: as they come
	Trips    int           // how often it was left alone in a row
}

// Stats counts.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Idle: len(p.idle), Hosts: len(p.hosts), Shunned: p.providers.shunned()}
	for _, h := range p.hosts {
		s.Sessions += h.sessions
		s.UnderWay += h.underWay
		s.Waiting += len(h.waiting)
	}
	return s
}

func (b providerBook) shunned() []Shunned {
	var all []Shunned
	for provider, n := range b {
		s := Shunned{Provider: provider, Interval: n.interval, Trips: n.trips}
		if until, ok := b.left(provider); ok {
			s.Until = until
		}
		if s.Interval > 0 || !s.Until.IsZero() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Shunned) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Provider, b.Provider))
	})
	return all
}
