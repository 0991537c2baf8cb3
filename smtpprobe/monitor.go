package smtpprobe

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// Stats counts.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.plan.Stats()
	return Stats{
		Sessions: s.Sessions, Idle: s.Idle, UnderWay: s.UnderWay, Waiting: s.Waiting, Hosts: s.Hosts,
		Paused: paused(p.plan.Pacing(time.Now())),
	}
}

func paused(providers []schedule.Pace) (all []Paused) {
	for _, g := range providers {
		if g.Interval > 0 || !g.PausedUntil.IsZero() {
			all = append(all, Paused{
				Provider: g.Provider, Egress: g.Egress, Until: g.PausedUntil, Interval: g.Interval, Pauses: g.Pauses,
			})
		}
	}
	slices.SortFunc(all, func(a, b Paused) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Egress, b.Egress))
	})
	return all
}

// Pacing tells how each provider is asked with which the pool has to do; those
// for which most probes wait come first. It takes the lock of the pool, so it
// is for monitoring.
func (p *Pool) Pacing() []ProviderPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []ProviderPace
	for _, g := range p.plan.Pacing(time.Now()) {
		all = append(all, ProviderPace{Rules: g.Rules, State: g.State, Egress: g.Egress, Waiting: g.Waiting})
	}
	return all
}

// PaceMemory returns what is worth keeping of how providers were asked, for
// [Config].PaceMemory of a later pool: pauses, and the budgets of the egresses.
func (p *Pool) PaceMemory() []pace.Memory {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plan.Memory(time.Now())
}

// Egresses returns the state of each egress, and of those whose last sessions
// end. It takes the lock of the pool, so it is for monitoring.
func (p *Pool) Egresses() []Egress {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Egress
	for _, e := range p.plan.Egresses() {
		all = append(all, Egress{
			Name: e.Name, HELO: p.config.helo(p.ways[e.ID]), Weight: e.Weight, Sessions: e.Sessions,
			Leaving: e.Leaving, Down: e.Down, Fault: e.Fault, LastReply: e.LastReply, Said: lastSaid(e.Said),
		})
	}
	return all
}

// lastSaid are the last replies of providers, the last first.
func lastSaid(replies []schedule.Said) (all []Said) {
	for _, s := range replies {
		all = append(all, Said(s))
	}
	slices.SortFunc(all, func(a, b Said) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Provider, b.Provider))
	})
	return all[:min(len(all), maxSaid)]
}

// log writes what the plan has to tell.
func (p *Pool) log(n *schedule.News) {
	var attrs []any
	if n.Provider != "" {
		attrs = append(attrs, slog.String("provider", n.Provider))
	}
	if n.Egress != "" || n.Provider == "" {
		attrs = append(attrs, slog.String("egress", n.Egress))
	}
	log := p.config.Logger
	switch {
	case n.Provider != "":
		logProvider(log, n.State, attrs)
	case n.Removed:
		log.Info("egress is being removed", append(attrs, slog.Int("sessions", n.Sessions))...)
	case n.Fault != "":
		log.Warn("egress does not work", append(attrs, slog.String("fault", n.Fault))...)
	default:
		log.Info("egress works again", attrs...)
	}
}

// logProvider writes that a provider is asked less than before, and why, or as
// usual again.
func logProvider(log *slog.Logger, s pace.State, attrs []any) {
	text := "provider refuses us, and is paused"
	switch cmp.Or(s.Paused, s.Slowed) {
	case "":
		log.Info("provider is asked as usual again", attrs...)
		return
	case pace.Blocked:
		attrs = append(attrs, slog.Time("until", s.PausedUntil))
	case pace.RateLimited:
		text = "provider finds us too fast, and is asked more slowly"
		if attrs = withSessions(attrs, s); s.Paused != "" {
			text = "provider still finds us too fast, and is paused"
			attrs = append(attrs, slog.Time("until", s.PausedUntil))
		}
	case pace.Harvesting:
		text = "so many mailboxes do not exist that the provider may take us for harvesters: it is asked more slowly"
		attrs = withSessions(append(attrs, slog.Float64("refused", s.Refused)), s)
	case pace.BudgetSpent:
		text = "provider has heard as many recipients as it may in a day"
		attrs = append(attrs, slog.Int("recipients", s.LastDay))
	}
	log.Warn(text, attrs...)
}

// withSessions adds how many sessions a provider may have, if that is limited.
func withSessions(attrs []any, s pace.State) []any {
	if s.Allowed < 0 {
		return attrs
	}
	return append(attrs, slog.Int("sessions", s.Allowed))
}
