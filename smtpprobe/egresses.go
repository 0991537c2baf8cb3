//go:build !plan

package smtpprobe

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// choose returns the egress by which a mail host is asked; nil: none leads
// there. If it could not be asked by those in without, it returns one that
// works and by which the provider is asked; nil: no egress does.
func (p *Pool) choose(host string, addr netip.Addr, without []*egresses.Egress) *egresses.Egress {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.egresses.Only(); e != nil && without == nil {
		if e.Reaches(addr) {
			return e
		}
		return nil
	}
	name, now := provider.Pacing(host, addr).Provider, time.Now()
	paused := func(e *egresses.Egress) bool { return p.pausedUntil(name, e).After(now) }
	return p.egresses.Choose(name, addr, without, paused, now)
}

// ReachesIPv4 reports whether an egress leads to IPv4 addresses.
func (p *Pool) ReachesIPv4() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.egresses.All(), func(e *egresses.Egress) bool { return !e.Leaving && !e.Only6 })
}

// DialContext implements [Dialer]: it connects to the address of a mail host
// by the egress of its site. The connection is none of the pool's sessions.
func (p *Pool) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("smtpprobe: %q is not an IP address and port", address)
	}
	e := p.choose("", target.Addr(), nil)
	if e == nil {
		return nil, egress.ErrNone
	}
	p.mu.Lock()
	dialer := e.Dialer // which SetEgresses may replace
	p.mu.Unlock()
	return dialer.DialContext(ctx, network, address)
}

// heard notes what the opening of a session shows of its egress. If more time
// might have done, a failure shows nothing.
func (p *Pool) heard(s *session, failure *smtp.Failure) {
	e := s.route.egress
	if failure != nil && s.Hurried() || !e.Opened(s.route.addr, s.Opening().Greeting != nil, failure, time.Now()) {
		return
	}
	attrs := []any{slog.String("egress", e.Name)}
	if e.Down() {
		p.config.Logger.Warn("egress does not work", append(attrs, slog.String("fault", e.Fault()))...)
		return
	}
	p.config.Logger.Info("egress works again", attrs...)
}

// SetEgresses replaces the egresses, and the routes, as [Config] has them. What
// is known of an egress with the same name and [egress.Egress.ID] as before
// stays. One that is new gets its share of the mail hosts. One that is gone is
// not chosen any more: probes that wait for it go on by another, and its
// sessions end with QUIT after the questions under way. An error changes
// nothing.
func (p *Pool) SetEgresses(all egress.Egresses, routes map[string][]string) error {
	if err := checkEgresses(all, routes); err != nil {
		return err
	}
	if len(all) == 0 {
		all = p.config.direct()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.egresses.Replace(all, routes) {
		p.config.Logger.Info("egress is being removed",
			slog.String("egress", e.Name), slog.Int("sessions", e.Limit.Sessions()))
		p.drain(e)
	}
	return nil
}

// drain has an egress that was removed end its sessions and be forgotten.
func (p *Pool) drain(e *egresses.Egress) {
	for _, w := range slices.Clone(p.idle) {
		if w.host.key.egress == e {
			p.retire(w)
		}
	}
	for key, h := range p.hosts {
		if key.egress == e {
			h.failWaiting(func(*job) (result, bool) { return result{err: errMoved}, true })
		}
	}
	p.forgetEgress(e)
}

// forgetEgress forgets an egress that was removed, once its last session has
// ended. What is worth keeping of how providers were asked by it stays, for the
// case that it comes back.
func (p *Pool) forgetEgress(e *egresses.Egress) {
	if !e.Leaving || e.Limit.Sessions() > 0 {
		return
	}
	for _, m := range p.memoryOf(e) {
		p.memory[memoryKey{m.Provider, m.Egress}] = m
	}
	for key := range p.providers {
		if key.egress == e {
			delete(p.providers, key)
		}
	}
	for key, h := range p.hosts {
		if key.egress == e && !h.inUse() {
			delete(p.hosts, key)
		}
	}
	delete(p.queued, e)
	p.egresses.Forget(e)
}
