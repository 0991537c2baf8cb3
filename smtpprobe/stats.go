//go:build !plan

package smtpprobe

import (
	"cmp"
	"slices"
	"time"
)

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
