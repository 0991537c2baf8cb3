package smtpprobe

import (
	"cmp"
	"slices"
	"time"

	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
)

// ProviderPace is how a provider is asked, through one egress.
type ProviderPace struct {
	pacing.Rules
	pacing.State
	Egress  string // its name, where there are several
	Waiting int    // probes that wait for a session with one of its mail hosts
}

// Pacing tells how each provider is asked with which the pool has to do; those
// for which most probes wait come first. It takes the lock of the pool, so it
// is for monitoring.
func (p *Pool) Pacing() []ProviderPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := map[*paced]int{}
	for _, h := range p.hosts {
		waiting[h.paced] += len(h.waiting)
	}
	now := time.Now()
	var all []ProviderPace
	for key, g := range p.providers {
		all = append(all, ProviderPace{
			Rules: g.Rules(), State: g.State(now), Egress: p.config.Egresses[key.egress].Name, Waiting: waiting[g],
		})
	}
	slices.SortFunc(all, func(a, b ProviderPace) int {
		most := cmp.Compare(b.Waiting, a.Waiting)
		return cmp.Or(most, cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}

// PaceMemory returns what is worth keeping of how providers were asked, for
// [Config].PaceMemory of a later pool: pauses, and the budgets of the egresses.
func (p *Pool) PaceMemory() []pacing.Memory {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var all []pacing.Memory
	for key, g := range p.providers {
		if m, ok := g.Memory(now); ok {
			m.Egress = p.config.Egresses[key.egress].Name
			all = append(all, m)
		}
	}
	for _, m := range p.memory { // of providers that were not asked since
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b pacing.Memory) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}

// remember keeps what an earlier pool knew until it is needed. What is about an
// egress that this pool does not have is left out.
func (p *Pool) remember(all []pacing.Memory) {
	for _, m := range all {
		for i, e := range p.config.Egresses {
			if e.Name == m.Egress && len(p.memory) < maxProviderNotes {
				p.memory[providerKey{m.Provider, i}] = m
			}
		}
	}
}
