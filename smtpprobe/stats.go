package smtpprobe

import (
	"cmp"
	"slices"
	"time"
)

// Stats is what a [Pool] does.
type Stats struct {
	Sessions int // open, or about to be
	Idle     int // of them: kept for the next recipient
	UnderWay int // probes that a session has taken
	Waiting  int // probes that wait for a session
	Hosts    int // mail hosts of which something is known
	// Paused are the providers that are paused or asked slowly; the first to be
	// asked again first.
	Paused []Paused
}

// Paused is a provider that the pool does not ask, or asks slowly, because it
// blocked us or found us too fast.
type Paused struct {
	Provider string        // its pacing name: in the table, a registrable domain, or a network
	Egress   string        // the name of the egress that it is about, where there are several
	Until    time.Time     // paused until then; zero: it is not
	Interval time.Duration // between sessions; zero: as they come
	Pauses   int           // how often it was paused in a row
}

// Stats counts.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Idle: len(p.idle), Hosts: len(p.hosts), Paused: p.pausedProviders()}
	for _, h := range p.hosts {
		s.Sessions += h.sessions
		s.UnderWay += h.underWay
		s.Waiting += len(h.waiting)
	}
	return s
}

func (p *Pool) pausedProviders() []Paused {
	var all []Paused
	now := time.Now()
	for key, g := range p.providers {
		state := g.State(now)
		if state.Interval > 0 || !state.PausedUntil.IsZero() {
			all = append(all, Paused{
				Provider: key.name, Egress: key.egress.Name,
				Until: state.PausedUntil, Interval: state.Interval, Pauses: state.Pauses,
			})
		}
	}
	slices.SortFunc(all, func(a, b Paused) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}
