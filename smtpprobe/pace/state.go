package pace

import "time"

// Trouble is why a provider is asked less than its limits allow.
type Trouble string

// The troubles.
const (
	Blocked     Trouble = "blocked"      // it refused us
	RateLimited Trouble = "rate_limited" // it found us too fast
	Harvesting  Trouble = "harvesting"   // so many of the mailboxes do not exist that it may take us for harvesters
	BudgetSpent Trouble = "budget_spent" // it has heard as many recipients as it may in a day
)

// State is how a provider is asked at the moment, through one egress.
type State struct {
	Sessions   int           // open, or about to be
	Allowed    int           // sessions at the moment; Unlimited: there is no limit
	LastMinute int           // recipients named in it
	Opened     int           // sessions begun in it
	Busy       time.Duration // for how long no minute went by without a new session
	LastDay    int           // in the last 24 hours
	Refused    float64       // share of the mailboxes asked about in the last ten minutes that do not exist

	PausedUntil time.Time     // zero: it is not paused
	Paused      Trouble       // why
	Pauses      int           // in a row
	Slowed      Trouble       // why it gets fewer sessions than its limit, or at intervals; empty: it does not
	Interval    time.Duration // between the beginnings of two sessions
	Next        time.Time     // no session for a list begins before; zero: one may, or when another has ended
}

// State returns what is in force.
func (p *Provider) State(now time.Time) State {
	s := State{
		Sessions: p.open, Allowed: p.Allowed(now), LastMinute: p.named.sum(now), Opened: p.opened.sum(now),
		LastDay: p.day.sum(now),
		Refused: p.refused(now), Pauses: p.pauses, Interval: p.interval,
	}
	if until, ok := p.Paused(now); ok {
		s.PausedUntil, s.Paused = until, p.why
	}
	if !p.began.IsZero() {
		s.Busy = now.Sub(p.began)
	}
	if ok, at := p.MayOpen(now, true); !ok {
		s.Next = at
	}
	limit := p.limit()
	switch {
	case p.dayHasRoom(now, true).After(now):
		s.Slowed = BudgetSpent
	case p.harvesting:
		s.Slowed = Harvesting
	case p.interval > 0 || p.allowed > 0 && (limit < 0 && s.Allowed >= 0 || s.Allowed < limit):
		s.Slowed = RateLimited
	}
	return s
}
