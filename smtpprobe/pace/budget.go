package pace

import "time"

const (
	day = 24 * time.Hour
	// maxLevel keeps first<<level from overflowing; nobody is asked about so
	// many recipients.
	maxLevel = 20
)

// Budget is how many recipients an egress may name at a provider in a day, by
// how it got on there so far. Days are those of UTC.
type Budget struct {
	Day   int64 `json:"day"`           // since 1970
	Named int   `json:"named"`         // on that day
	Level int   `json:"level"`         // how often the first day's number was doubled
	Bad   bool  `json:"bad,omitempty"` // the provider complained that day, or might have
}

// advance begins the day of now.
func (b *Budget) advance(now time.Time) {
	today := now.Unix() / int64(day/time.Second)
	if today == b.Day {
		return
	}
	switch {
	case b.Bad:
		b.Level = max(0, b.Level-1)
	case b.Named > 0:
		b.Level = min(b.Level+1, maxLevel)
	}
	b.Day, b.Named, b.Bad = today, 0, false
}

// left is how many recipients may still be named today; list: for a list.
func (b *Budget) left(first int, now time.Time, list bool) int {
	if b.advance(now); first < 0 {
		return unbounded
	}
	return max(0, recipientsOf(first<<b.Level, list)-b.Named)
}

// renewed returns when the next day begins.
func (b *Budget) renewed() time.Time { return time.Unix((b.Day+1)*int64(day/time.Second), 0) }

// oldLevel is the highest level for age alone: 500 recipients a day become
// 16,000. What is beyond is for good conduct with this provider.
const oldLevel = 5

// Aged notes how long the egress has been in use: its budget is that of an
// egress that got on well with the provider for as many days, up to a limit.
func (p *Provider) Aged(inUse time.Duration) {
	p.budget.Level = min(max(0, int(inUse/day)), oldLevel)
}

// Memory is what is worth keeping of a provider over a restart.
type Memory struct {
	Provider    string    `json:"provider"`
	Egress      string    `json:"egress,omitempty"` // its name, where there are several
	Budget      Budget    `json:"budget"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	Paused      Trouble   `json:"paused,omitempty"` // why; empty: Blocked
	Pauses      int       `json:"pauses,omitempty"`
}

// Memory returns what is worth keeping; false: nothing is.
func (p *Provider) Memory(now time.Time) (Memory, bool) {
	p.budget.advance(now)
	m := Memory{Provider: p.rules.Provider, Budget: p.budget, Pauses: p.pauses}
	if until, ok := p.Paused(now); ok {
		m.PausedUntil, m.Paused = until, p.why
	}
	return m, m.PausedUntil.After(now) || p.settings.Egress.FirstDay > 0 && (m.Budget.Level > 0 || m.Budget.Named > 0)
}

// Remember takes over what was kept.
func (p *Provider) Remember(m Memory) {
	p.budget, p.until, p.pauses = m.Budget, m.PausedUntil, min(max(0, m.Pauses), maxDoublings)
	if p.why = m.Paused; p.why == "" {
		p.why = Blocked
	}
	p.budget.Level = min(max(0, p.budget.Level), maxLevel)
}
