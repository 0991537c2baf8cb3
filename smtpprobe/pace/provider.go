package pace

import (
	"slices"
	"time"
)

// How providers that find us too fast are asked.
const (
	// minInterval is the first interval between sessions; it doubles with
	// every further complaint, up to maxInterval.
	minInterval = 500 * time.Millisecond
	maxInterval = 30 * time.Second
	// tooManyLasts is how long it is remembered what was too many, at least.
	tooManyLasts = time.Hour
	// throttledOften is how many complaints within throttledPeriod lead to a
	// pause, where the provider has one for that (KumoMTA,
	// community/shaping.toml: 3/hr).
	throttledOften  = 3
	throttledPeriod = time.Hour
)

// keptEnough is how many new sessions a minute are enough for single checks:
// one a second. Where fewer are kept, those of lists are spread over it.
const keptEnough = 60

// harvestPeriod is the time whose refusals are counted.
const harvestPeriod = 10 * time.Minute

// calmer is the part of the share of refusals below which a provider is asked
// as usual again.
const calmer = 0.8

// Provider is how one provider is asked through one egress.
//
// Its limits hold for all of its mail hosts together. One that is in no table
// is not limited by number before it has shown a second mail host: the limit of
// the first one does that, and grows by what the host takes.
//
// A Provider is not safe for concurrent use.
type Provider struct {
	rules    Rules
	settings Settings
	several  bool // mail hosts

	open             int
	began            time.Time // the first of the sessions between which there was no minute without one
	opened, named    counter   // in the last minute
	day              counter
	budget           Budget
	heard, dead      counter // mailboxes asked about, and those that do not exist
	harvesting       bool
	suspicion        suspicion
	until            time.Time // paused until then
	why              Trouble   // it is
	pauses           int       // since the last answer
	throttled        counter   // recent complaints about our speed
	interval         time.Duration
	next             time.Time // when the next session may begin
	slower           time.Time // when the interval was last made longer
	allowed, tooMany int       // sessions, as far as complaints go; zero: there was none
	complained       time.Time // the last time
	asked            time.Time // when a session last began, or a recipient was named
}

// NewProvider returns a provider of which nothing is known but its rules. The
// settings have their defaults in place.
func NewProvider(r Rules, s Settings) *Provider {
	return &Provider{
		rules: r, settings: s,
		opened: newCounter(time.Minute, 12), named: newCounter(time.Minute, 12), day: newCounter(24*time.Hour, 24),
		heard: newCounter(harvestPeriod, 10), dead: newCounter(harvestPeriod, 10),
		throttled: newCounter(throttledPeriod, 12),
	}
}

// Rules returns the limits.
func (p *Provider) Rules() Rules { return p.rules }

// Several notes that the provider has more than one mail host.
func (p *Provider) Several() { p.several = true }

// limit is the number of sessions that the rules allow.
func (p *Provider) limit() int {
	alone := !p.several && !p.rules.Known && p.settings.Preset != Careful
	if own := p.settings.Providers[p.rules.Provider].Sessions != 0; alone && !own && p.settings.Unknown.Sessions == 0 {
		return Unlimited
	}
	return p.rules.Limits.Sessions
}

// Allowed returns how many sessions may be open at the moment, or [Unlimited].
func (p *Provider) Allowed(now time.Time) int {
	n := p.limit()
	if p.harvesting {
		base := n
		if base < 0 {
			base = UnknownLimits().Sessions
		}
		n = (base + 3) / 4
	}
	if p.allowed > 0 {
		grown := p.allowed
		if slow := p.rules.Limits.SlowFor; slow > 0 {
			grown += int(max(0, now.Sub(p.complained)) / slow)
		}
		if now.Sub(p.complained) > p.remembers() {
			grown = n
		} else if p.tooMany > 0 {
			grown = min(grown, max(1, p.tooMany-1))
		}
		if n < 0 || grown >= 0 && grown < n {
			n = grown
		}
	}
	return n
}

// MayOpen reports whether another session may begin, and if not, when to see
// again; zero: when one of those that are open has ended. A part of each limit
// is kept for single checks; list: the session is for a list.
func (p *Provider) MayOpen(now time.Time, list bool) (ok bool, at time.Time) {
	l := p.rules.Limits
	perMinute := of(l.SessionsPerMinute, list)
	at = later(p.until, p.next, p.opened.room(perMinute, now), p.mayName(now, list))
	if list && l.SessionsPerMinute-perMinute < keptEnough { // at once, they would leave a form too few for a minute
		at = later(at, p.opened.evenly(perMinute, now))
	}
	if at.After(now) {
		return false, at
	}
	if n := of(p.Allowed(now), list); n >= 0 && p.open >= n {
		return false, time.Time{}
	}
	return true, now
}

func later(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// Opened notes that a session begins.
func (p *Provider) Opened(now time.Time) {
	p.asked = now
	if p.opened.sum(now) == 0 {
		p.began = now
	}
	p.open++
	p.opened.add(1, now)
	p.next = now.Add(p.interval)
}

// Closed notes that a session has ended.
func (p *Provider) Closed() { p.open-- }

// LeastNamed is how many recipients a question may take: the mailbox, a random
// one, and one that shows whether the host still accepts anybody.
const LeastNamed = 3

// unbounded is more recipients than anybody will name.
const unbounded = 1 << 30

// mayName returns when recipients may be named.
func (p *Provider) mayName(now time.Time, list bool) time.Time {
	perMinute := recipientsOf(p.rules.Limits.RecipientsPerMinute, list)
	return later(p.named.room(forQuestion(perMinute), now), p.dayHasRoom(now, list))
}

// dayHasRoom returns when recipients may be named as far as the day goes.
func (p *Provider) dayHasRoom(now time.Time, list bool) time.Time {
	at := p.day.room(forQuestion(recipientsOf(p.rules.Limits.RecipientsPerDay, list)), now)
	if p.budget.left(p.settings.Egress.FirstDay, now, list) < LeastNamed {
		at = later(at, p.budget.renewed())
	}
	return at
}

// forQuestion is the limit within which there has to be room for one more
// recipient, so that there is room for a whole question.
func forQuestion(limit int) int {
	if limit < 0 {
		return limit
	}
	return max(1, limit-LeastNamed+1)
}

// MayName returns how many recipients may be named now, in a session that has
// named so many; list: for a list, as in [Provider.MayOpen]. If they are fewer
// than [LeastNamed], the session is to end.
func (p *Provider) MayName(before int, now time.Time, list bool) int {
	left := func(limit, used int) int {
		switch {
		case limit < 0:
			return unbounded
		case used < forQuestion(limit):
			return max(limit-used, LeastNamed) // a limit below that of a question is one question
		}
		return max(0, limit-used)
	}
	l := p.rules.Limits
	today := left(recipientsOf(l.RecipientsPerDay, list), p.day.sum(now))
	today = min(today, p.budget.left(p.settings.Egress.FirstDay, now, list))
	minute := left(recipientsOf(l.RecipientsPerMinute, list), p.named.sum(now))
	return min(left(l.RecipientsPerSession, before), minute, today)
}

// Named notes that so many recipients are being named.
func (p *Provider) Named(n int, now time.Time) {
	p.asked = now
	p.named.add(n, now)
	p.day.add(n, now)
	p.budget.advance(now)
	p.budget.Named += n
}

// Mailbox notes whether a mailbox that we asked about does not exist.
func (p *Provider) Mailbox(dead bool, now time.Time) {
	h := p.settings.Harvest
	if h.Recipients < 0 {
		return
	}
	p.heard.add(1, now)
	if dead {
		p.dead.add(1, now)
	}
	share := p.refused(now)
	switch {
	case p.heard.sum(now) < h.Recipients || share < h.Share*calmer:
		p.harvesting = false
	case share > h.Share:
		p.harvesting = true
		p.wentBadly(now)
	}
}

// wentBadly notes that the provider has reason to complain.
func (p *Provider) wentBadly(now time.Time) {
	p.budget.advance(now)
	p.budget.Bad = true
}

// refused is the share of the mailboxes that do not exist.
func (p *Provider) refused(now time.Time) float64 {
	heard := p.heard.sum(now)
	if heard == 0 {
		return 0
	}
	return float64(p.dead.sum(now)) / float64(heard)
}

// Answered notes an answer about a mailbox in a domain, whatever it was. It
// ends what was held against the provider.
func (p *Provider) Answered(domain string) {
	p.suspicion.answered(domain)
	p.pauses = 0
	if p.interval /= 2; p.interval < minInterval {
		p.interval, p.next = 0, time.Time{}
	}
}

// remembers is how long complaints are.
func (p *Provider) remembers() time.Duration { return max(tooManyLasts, p.rules.Limits.SlowFor) }

// Blocked notes that a mail host has refused us in a domain with a reply code,
// for the client, the sender, reputation or policy; early: before RCPT.
func (p *Provider) Blocked(domain string, early bool, code int, now time.Time) {
	if now.Before(p.until) || !p.suspicion.blocked(domain, early) {
		return
	}
	p.suspicion.paused()
	p.wentBadly(now)
	first := p.rules.Limits.RefusedPause
	if code < 500 {
		first = p.rules.Limits.DeferredPause
	}
	p.pause(first, Blocked, now)
}

// pause pauses the provider, unless there is to be none.
func (p *Provider) pause(first time.Duration, why Trouble, now time.Time) {
	if first < 0 {
		return
	}
	p.until, p.why = now.Add(min(first<<p.pauses, max(first, p.settings.MaxPause))), why
	p.pauses = min(p.pauses+1, maxDoublings)
	p.allowed, p.complained = 1, p.until // it begins anew with one session
}

// maxDoublings keeps first<<pauses from overflowing.
const maxDoublings = 8

// RateLimited notes that the provider finds us too fast, in a session that
// began at some time.
func (p *Provider) RateLimited(began, now time.Time) {
	p.wentBadly(now)
	if now.Before(p.until) {
		return
	}
	if began.After(p.slower) { // else it is the same complaint
		if p.throttled.add(1, now); p.throttled.sum(now) >= throttledOften && p.rules.Limits.ThrottledPause >= 0 {
			p.slower, p.throttled = now, newCounter(throttledPeriod, 12)
			p.pause(p.rules.Limits.ThrottledPause, RateLimited, now)
			return
		}
	}
	if p.interval == 0 || began.After(p.slower) {
		p.interval = min(max(2*p.interval, minInterval), maxInterval)
		p.slower = now
		if p.open > 1 { // else the session that follows may be with another host of a domain
			p.next = now.Add(p.interval)
		}
	}
	if p.open <= 1 || p.allowed > 0 && !began.After(p.complained) {
		return // it is not about their number, or not about as few as are allowed since
	}
	most := p.open
	if n := p.Allowed(now); n >= 0 {
		most = min(most, n)
	}
	p.tooMany = p.open
	p.allowed, p.complained = max(1, most/2), now
}

// Paused reports whether the provider is paused, and until when.
func (p *Provider) Paused(now time.Time) (until time.Time, paused bool) {
	if !now.Before(p.until) {
		return time.Time{}, false
	}
	return p.until, true
}

// Stale reports whether nothing of the provider is worth keeping.
func (p *Provider) Stale(now time.Time) bool {
	_, keep := p.Memory(now)
	counts := p.rules.Limits.RecipientsPerDay > 0 && p.day.sum(now) > 0
	return p.open == 0 && now.Sub(p.asked) > p.remembers() && !keep && !counts
}
