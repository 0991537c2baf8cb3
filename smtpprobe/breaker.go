package smtpprobe

import (
	"fmt"
	"net/netip"
	"time"

	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// providerBook holds the breakers of the providers that have blocked us or
// found us too fast. The pool's lock guards it.
type providerBook map[providerKey]*pacing.Breaker

// providerKey is a provider as one of our ways out knows it: it sees each as a
// client of its own.
type providerKey struct {
	name   string     // in the table of providers; empty: it is in none
	addr   netip.Addr // of a mail host that is none of theirs
	egress int
}

// provider names who runs a mail host: the provider where it is known, and else
// the address, which stands for itself alone: hosts of one domain may have
// nothing in common but their hoster. The pool's lock is held.
func (p *Pool) provider(r route) providerKey {
	if name := provider.Of(r.host).Name; name != "" {
		return providerKey{name: name, egress: r.egress}
	}
	return providerKey{addr: r.addr.Addr().Unmap(), egress: r.egress}
}

func (k providerKey) isAddress() bool { return k.name == "" }

func (k providerKey) String() string {
	if k.isAddress() {
		return k.addr.String()
	}
	return k.name
}

// note records what a reply in a domain says about the provider. Providers that
// have never blocked us nor found us too fast have no breaker.
func (b providerBook) note(provider providerKey, domain string, class replies.Class) {
	breaker := b[provider]
	if breaker == nil {
		if class != replies.ClassBlocked && class != replies.ClassRateLimited {
			return
		}
		if len(b) >= maxProviderNotes {
			b.shrink()
		}
		breaker = pacing.NewBreaker(domainsToPause(provider))
		b[provider] = breaker
	}
	now := time.Now()
	switch class {
	case replies.ClassBlocked:
		breaker.Blocked(domain, now)
	case replies.ClassRateLimited:
		breaker.RateLimited(now)
	case replies.ClassOK, replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved, replies.ClassMailboxFull:
		breaker.Answered(now)
	default:
		breaker.Observed(now)
	}
}

func domainsToPause(provider providerKey) int {
	if provider.isAddress() {
		return pacing.HostDomains
	}
	return pacing.ProviderDomains
}

// wait returns how long to wait before the next session.
func (b providerBook) wait(provider providerKey) time.Duration {
	if breaker := b[provider]; breaker != nil {
		return breaker.Wait(time.Now())
	}
	return 0
}

// opens notes that a session begins.
func (b providerBook) opens(provider providerKey) {
	if breaker := b[provider]; breaker != nil {
		breaker.Opened(time.Now())
	}
}

// left reports whether the provider is paused, and until when.
func (b providerBook) left(provider providerKey) (time.Time, bool) {
	if breaker := b[provider]; breaker != nil {
		return breaker.Paused(time.Now())
	}
	return time.Time{}, false
}

// shrink drops the breakers that are stale, and if none is, all of them.
func (b providerBook) shrink() {
	before, now := len(b), time.Now()
	for key, breaker := range b {
		if breaker.Stale(now) {
			delete(b, key)
		}
	}
	if len(b) == before {
		clear(b)
	}
}

// known returns the result of a job that needs no session: the provider of the
// host is paused, or the host has just shown that it cannot be asked.
func (p *Pool) known(j *job) (result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return result{}, false
	}
	if until, ok := p.providers.left(p.provider(j.route)); ok {
		return result{session: pausedSession(j, until)}, true
	}
	if h := p.hosts[keyOf(j.route)]; h != nil && h.failed != nil && !h.failed.over() {
		return h.failed.remembered(j)
	}
	return result{}, false
}

// pausedSession is the session of a job whose provider is paused.
func pausedSession(j *job, until time.Time) *Session {
	wait := time.Until(until).Round(time.Second)
	f := &smtp.Failure{
		Phase: smtp.PhaseConnect, Kind: smtp.KindPaused, RetryAfter: wait,
		Text: fmt.Sprintf("not asked: the provider blocked us for several domains and is paused for another %v", wait),
	}
	return notTried(j, f)
}
