package smtpprobe

import (
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// providerBook remembers how the providers of mail hosts take to us. A provider that refuses us for several domains in a row is left alone for a
// while, instead of making it worse; one that finds us too fast is asked more slowly.
type providerBook map[providerKey]*providerNote

// providerKey is a provider as one of our ways out knows it: it sees each as a client of its own.
type providerKey struct {
	name   string     // in the table of providers; empty: it is in none
	addr   netip.Addr // of a mail host that is none of theirs
	egress int
}

type providerNote struct {
	blocks   []string  // different domains for which it has blocked us, with no answer for a mailbox since
	trips    int       // how often it was left alone, with no answer for a mailbox since
	until    time.Time // left alone
	interval time.Duration
	next     time.Time // the next session may begin
	touched  time.Time
}

// provider names who runs a mail host: the provider where it is known, and else the address, which stands for itself alone: hosts of one domain
// may have nothing in common but their hoster. The pool's lock is held.
func (p *Pool) provider(r route) providerKey {
	name, ok := p.providerNames[r.host]
	if !ok {
		if len(p.providerNames) == maxProviderNotes {
			clear(p.providerNames)
		}
		name = ProviderOf(r.host).Name
		p.providerNames[r.host] = name
	}
	if name == "" {
		return providerKey{addr: r.addr.Addr().Unmap(), egress: r.egress}
	}
	return providerKey{name: name, egress: r.egress}
}

func (k providerKey) isAddress() bool { return k.name == "" }

func (k providerKey) String() string {
	if k.isAddress() {
		return k.addr.String()
	}
	return k.name
}

// note takes an answer in. Refusals for the same domain count once: they may be that domain's own policy.
func (b providerBook) note(provider providerKey, domain string, class Class) {
	n := b[provider]
	if n == nil {
		if class != ClassBlocked && class != ClassRateLimited {
			return
		}
		if len(b) >= maxProviderNotes {
			b.shrink()
		}
		n = &providerNote{}
		b[provider] = n
	}
	n.touched = time.Now()
	switch class {
	case ClassBlocked:
		n.blocked(domain, blocksToTrip(provider))
	case ClassRateLimited:
		n.interval = min(max(2*n.interval, minInterval), maxInterval)
	case ClassOK, ClassNoSuchUser, ClassDisabled, ClassMoved, ClassMailboxFull:
		n.blocks, n.trips = nil, 0
		n.interval /= 2
		if n.interval < minInterval {
			n.interval = 0
		}
	}
}

// blocksToTrip is for how many domains in a row a provider has to block us. One host may serve several with a policy of their own.
func blocksToTrip(provider providerKey) int {
	if provider.isAddress() {
		return blocksOfHost
	}
	return blocksOfProvider
}

func (n *providerNote) blocked(domain string, enough int) {
	if slices.Contains(n.blocks, domain) {
		return
	}
	n.blocks = append(n.blocks, domain)
	if len(n.blocks) < enough {
		return
	}
	n.until = time.Now().Add(min(breakLasts<<n.trips, maxBreak))
	n.blocks = n.blocks[:0]
	n.trips = min(n.trips+1, maxTrips)
}

// wait is how long to wait before the next session.
func (b providerBook) wait(provider providerKey) time.Duration {
	if n := b[provider]; n != nil && n.interval > 0 {
		return max(0, time.Until(n.next))
	}
	return 0
}

// opens notes that a session begins.
func (b providerBook) opens(provider providerKey) {
	if n := b[provider]; n != nil {
		n.next = time.Now().Add(n.interval)
	}
}

// left reports until when the provider is left alone.
func (b providerBook) left(provider providerKey) (time.Time, bool) {
	n := b[provider]
	if n == nil || !time.Now().Before(n.until) {
		return time.Time{}, false
	}
	return n.until, true
}

// restrained reports whether a known provider is to see less of us for now. That of a single address says nothing about the host's others.
func (p *Pool) restrained(r route) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	provider := p.provider(r)
	n := p.providers[provider]
	return n != nil && !provider.isAddress() && (n.interval > 0 || time.Now().Before(n.until))
}

// shrink drops providers that have long been quiet, or if that is none, all.
func (b providerBook) shrink() {
	before := len(b)
	for key, n := range b {
		if time.Since(n.touched) > maxBreak {
			delete(b, key)
		}
	}
	if len(b) == before {
		clear(b)
	}
}

// paused answers an ask without asking: the host's provider is left alone, or the host has just shown that it cannot be asked.
func (p *Pool) paused(a *ask) (answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return answer{}, false
	}
	if until, ok := p.providers.left(p.provider(a.route)); ok {
		return answer{session: breakSession(a, until)}, true
	}
	if h := p.hosts[p.key(a)]; h != nil && h.failed != nil && !h.failed.over() && h.failed.concerns(a) {
		return h.failed.remembered(a), true
	}
	return answer{}, false
}

// leaveAlone answers those who wait for a host whose provider is left alone by now.
func (p *Pool) leaveAlone(h *mailHost) {
	if len(h.waiting) == 0 {
		return
	}
	until, ok := p.providers.left(p.provider(h.waiting[0].route))
	if !ok {
		return
	}
	for _, a := range h.waiting {
		a.left.stoodStill(time.Since(a.since))
		a.tell(answer{session: breakSession(a, until)})
	}
	h.waiting = nil
}

// breakSession is the account of a session that was not opened.
func breakSession(a *ask, until time.Time) *Session {
	wait := time.Until(until).Round(time.Second)
	f := &Failure{
		Phase: PhaseConnect, Kind: KindPaused, RetryAfter: int64(wait / time.Second),
		Text: fmt.Sprintf("not asked: the provider has blocked us for several domains, and is left alone for another %v", wait),
	}
	return &Session{
		Host: truncate(clean(a.route.host), maxDomain), Addr: a.route.addr, Failure: f,
		Transcript: []Line{{From: fromProber, Text: f.Error()}},
	}
}
