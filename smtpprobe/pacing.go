//go:build !plan

package smtpprobe

import (
	"cmp"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
)

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
			Rules: g.Rules(), State: g.State(now), Egress: key.egress.Name, Waiting: waiting[g],
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
	var all []pacing.Memory
	for _, e := range p.egresses.All() {
		all = append(all, p.memoryOf(e)...)
	}
	for _, m := range p.memory { // of providers that were not asked since
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b pacing.Memory) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}

// memoryOf is what is worth keeping of an egress.
func (p *Pool) memoryOf(e *egresses.Egress) (all []pacing.Memory) {
	now := time.Now()
	for key, g := range p.providers {
		if key.egress != e {
			continue
		}
		if m, ok := g.Memory(now); ok {
			m.Egress = e.Name
			all = append(all, m)
		}
	}
	return all
}

// remember keeps what an earlier pool knew until it is needed, also of egresses
// that this pool does not have: they may be added.
func (p *Pool) remember(all []pacing.Memory) {
	for _, m := range all {
		if len(p.memory) < maxProviderNotes {
			p.memory[memoryKey{m.Provider, m.Egress}] = m
		}
	}
}
