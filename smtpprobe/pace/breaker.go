package pace

import (
	"slices"
	"time"
)

// In how many different domains in a row mailboxes must be blocked before a
// pause. A single domain may have a policy of its own.
const (
	// ProviderDomains is the number for a known provider.
	ProviderDomains = 5
	// HostDomains is the number for a mail host of no known provider: it may
	// serve domains of several customers, each with a policy.
	HostDomains = 8
)

// How long pauses and intervals last.
const (
	// firstPause is the length of the first pause; each next one is twice as
	// long as the last, up to maxPause.
	firstPause = 5 * time.Minute
	maxPause   = time.Hour
	// maxDoublings keeps firstPause<<n from overflowing.
	maxDoublings = 8

	// minInterval is the first interval between sessions; it doubles with
	// every further complaint, up to maxInterval.
	minInterval = 500 * time.Millisecond
	maxInterval = 30 * time.Second
)

// Breaker is the circuit breaker of one provider, as one egress sees it. A
// provider that blocks us in several domains in a row is paused; one that
// complains about our speed gets its sessions at growing intervals. An answer
// about a mailbox ends both.
//
// A Breaker is not safe for concurrent use.
type Breaker struct {
	domains  int       // blocked in so many, it pauses
	blocked  []string  // different domains in which we were blocked since the last answer or pause
	pauses   int       // since the last answer
	until    time.Time // paused until then
	interval time.Duration
	next     time.Time // when the next session may begin
	touched  time.Time // when something was last observed
}

// NewBreaker returns a breaker that pauses after blocks in so many different
// domains.
func NewBreaker(domains int) *Breaker { return &Breaker{domains: domains} }

// Blocked notes that the provider has refused us in a domain: client, sender,
// reputation or policy. Several refusals in one domain count once.
func (b *Breaker) Blocked(domain string, now time.Time) {
	b.touched = now
	if slices.Contains(b.blocked, domain) {
		return
	}
	b.blocked = append(b.blocked, domain)
	if len(b.blocked) < b.domains {
		return
	}
	b.until = now.Add(min(firstPause<<b.pauses, maxPause))
	b.blocked = b.blocked[:0]
	b.pauses = min(b.pauses+1, maxDoublings)
}

// RateLimited notes that the provider finds us too fast.
func (b *Breaker) RateLimited(now time.Time) {
	b.touched = now
	b.interval = min(max(2*b.interval, minInterval), maxInterval)
}

// Answered notes an answer about a mailbox, whatever it was.
func (b *Breaker) Answered(now time.Time) {
	b.touched = now
	b.blocked, b.pauses = nil, 0
	b.interval /= 2
	if b.interval < minInterval {
		b.interval = 0
	}
}

// Observed notes any other reply, which changes nothing but the age.
func (b *Breaker) Observed(now time.Time) { b.touched = now }

// Paused reports whether the provider is paused, and until when.
func (b *Breaker) Paused(now time.Time) (until time.Time, paused bool) {
	if !now.Before(b.until) {
		return time.Time{}, false
	}
	return b.until, true
}

// Opened notes that a session begins.
func (b *Breaker) Opened(now time.Time) { b.next = now.Add(b.interval) }

// Wait returns how long to wait before the next session.
func (b *Breaker) Wait(now time.Time) time.Duration {
	if b.interval == 0 {
		return 0
	}
	return max(0, b.next.Sub(now))
}

// Interval returns the time between the beginnings of two sessions; zero where
// they are not spaced.
func (b *Breaker) Interval() time.Duration { return b.interval }

// Pauses returns the number of pauses since the last answer.
func (b *Breaker) Pauses() int { return b.pauses }

// Stale reports whether nothing was observed for longer than any pause lasts,
// so that the breaker may be dropped.
func (b *Breaker) Stale(now time.Time) bool { return now.Sub(b.touched) > maxPause }
