package smtpprobe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// ReachesIPv4 reports whether an egress leads to IPv4 addresses.
func (p *Pool) ReachesIPv4() bool { return p.reachesIPv4.Load() }

// DialContext implements [Dialer]: it connects to the address of a mail host
// by the egress of its site. The connection is none of the pool's sessions.
func (p *Pool) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("smtpprobe: %q is not an IP address and port", address)
	}
	dialer := p.dialerTo(target.Addr())
	if dialer == nil {
		return nil, egress.ErrNone
	}
	return dialer.DialContext(ctx, network, address)
}

// dialerTo returns the dialer by which an address is asked; nil: no egress
// leads there.
func (p *Pool) dialerTo(addr netip.Addr) egress.Dialer {
	name := provider.Pacing("", addr).Provider
	p.mu.Lock()
	defer p.mu.Unlock()
	id, ok := p.plan.Way(time.Now(), name, addr)
	if !ok {
		return nil
	}
	return p.ways[id].Dialer
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
	defer p.unlock()
	p.do(schedule.SetEgresses{All: p.number(all), Routes: routes})
	return nil
}

// number returns egresses as the plan knows them. One with a name and ID that
// was there before keeps its number. Those of which the plan has no sessions
// any more are forgotten.
func (p *Pool) number(all egress.Egresses) []schedule.Egress {
	before := p.ways
	if p.plan != nil {
		known := make(map[schedule.EgressID]egress.Egress)
		for _, e := range p.plan.Egresses() {
			known[e.ID] = before[e.ID]
		}
		before = known
	}
	p.ways = before
	taken := make(map[schedule.EgressID]bool)
	numbered := make([]schedule.Egress, 0, len(all))
	for _, e := range all {
		id := p.numberOf(e, taken)
		p.ways[id], taken[id] = e, true
		numbered = append(numbered, schedule.Egress{
			ID: id, Key: e.ID(), Name: e.Name, Weight: max(1, e.Weight),
			Only4: e.Only4, Only6: e.Only6, Since: e.Since,
		})
	}
	p.severalWays.Store(len(all) > 1)
	p.reachesIPv4.Store(slices.ContainsFunc(all, func(e egress.Egress) bool { return !e.Only6 }))
	return numbered
}

func (p *Pool) numberOf(e egress.Egress, taken map[schedule.EgressID]bool) schedule.EgressID {
	for id, known := range p.ways {
		if !taken[id] && known.Name == e.Name && known.ID() == e.ID() {
			return id
		}
	}
	p.lastWay++
	return p.lastWay
}
