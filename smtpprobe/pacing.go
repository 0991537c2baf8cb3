package smtpprobe

import (
	"cmp"
	"slices"

	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
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
	byKey := map[providerKey]*ProviderPace{}
	of := func(key providerKey) *ProviderPace {
		if byKey[key] == nil {
			table, _ := provider.PacingOf(key.name)
			table.Provider = cmp.Or(table.Provider, key.String())
			byKey[key] = &ProviderPace{Rules: p.config.Pace.Rules(table), Egress: p.config.Egresses[key.egress].Name}
			byKey[key].Allowed = byKey[key].Limits.Sessions
		}
		return byKey[key]
	}
	for _, h := range p.hosts {
		if h.inUse() && len(h.waiting) > 0 {
			paced := of(p.provider(h.waiting[0].route))
			paced.Waiting += len(h.waiting)
			paced.Sessions += h.sessions
		}
	}
	for key, breaker := range p.providers {
		paced := of(key)
		paced.Pauses, paced.Interval = breaker.Pauses(), breaker.Interval()
		if until, ok := p.providers.left(key); ok {
			paced.PausedUntil, paced.Paused = until, pacing.Blocked
		}
		if paced.Interval > 0 {
			paced.Slowed = pacing.RateLimited
		}
	}
	var all []ProviderPace
	for _, paced := range byKey {
		all = append(all, *paced)
	}
	slices.SortFunc(all, func(a, b ProviderPace) int {
		most := cmp.Compare(b.Waiting, a.Waiting)
		return cmp.Or(most, cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}
