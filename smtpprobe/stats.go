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
	// Shunned are the providers that are left alone, or asked slowly; the first
	// to be asked again first.
	Shunned []Shunned
}

// Shunned is a provider that the pool leaves alone, or jobs slowly, because of
// how it took to us.
type Shunned struct {
	Provider string        // its name in the table of providers, or the address of a mail host that is in none
	Egress   string        // the name of the way out that it is about, where there are several
	Until    time.Time     // left alone until then; zero: it is not
	Interval time.Duration // between sessions; zero: as they come
	Trips    int           // how often it was left alone in a row
}

// Stats counts.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Idle: len(p.idle), Hosts: len(p.hosts), Shunned: p.shunned()}
	for _, h := range p.hosts {
		s.Sessions += h.sessions
		s.UnderWay += h.underWay
		s.Waiting += len(h.waiting)
	}
	return s
}

func (p *Pool) shunned() []Shunned {
	var all []Shunned
	for key, breaker := range p.providers {
		s := Shunned{Provider: key.String(), Egress: p.config.Egresses[key.egress].Name, Interval: breaker.Interval(), Trips: breaker.Pauses()}
		if until, ok := p.providers.left(key); ok {
			s.Until = until
		}
		if s.Interval > 0 || !s.Until.IsZero() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Shunned) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}
