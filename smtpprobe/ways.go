package smtpprobe

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// ways are the egresses of a pool. The pool's lock guards them. The rules by
// which one is chosen are in the package comment.
type ways struct {
	all        []*way
	routes     map[string][]string // names of egresses by provider
	greylisted map[netip.Prefix]loyalty
}

// way is an egress with what is known of it.
type way struct {
	egress.Egress
	sessions int
	limit    *pace.Egress
	crowded  []*paced // providers that wait for a session of it
	leaving  bool     // it was removed: it is not chosen, and opens no session

	failures  int    // of its own, in a row
	fault     string // the last of them
	silent    map[netip.AddrPort]struct{}
	nextTry   time.Time // of an egress that is down
	lastReply time.Time
}

// loyalty is that of a site to the egress by which it has greylisted us.
type loyalty struct {
	way   *way
	until time.Time
}

// DefaultRoute is the key in [Config].Routes of the providers that have no
// route of their own.
const DefaultRoute = "default"

// serving returns the egresses by which a provider may be asked.
func (ws *ways) serving(name string) []*way {
	names, routed := ws.routes[name]
	if !routed {
		names, routed = ws.routes[DefaultRoute]
	}
	return keep(ws.all, func(w *way) bool { return !w.leaving && (!routed || slices.Contains(names, w.Name)) })
}

// keep returns those for which ok is true.
func keep(all []*way, ok func(*way) bool) []*way {
	return slices.DeleteFunc(slices.Clone(all), func(w *way) bool { return !ok(w) })
}

// prefer returns those for which ok is true, or all if it is true for none.
func prefer(all []*way, ok func(*way) bool) []*way {
	if some := keep(all, ok); len(some) > 0 {
		return some
	}
	return all
}

// choose returns the egress by which a mail host is asked; nil: none leads
// there. If it could not be asked by those in without, it returns one that
// works and by which the provider is asked; nil: no egress does.
func (p *Pool) choose(host string, addr netip.Addr, without []*way) *way {
	p.mu.Lock()
	defer p.mu.Unlock()
	ws, now := &p.ways, time.Now()
	if len(ws.all) == 1 && ws.routes == nil && without == nil {
		if w := ws.all[0]; w.Reaches(addr) {
			return w
		}
		return nil
	}
	name := provider.Pacing(host, addr).Provider
	may := keep(ws.serving(name), func(w *way) bool { return w.Reaches(addr) && !slices.Contains(without, w) })
	if len(without) > 0 {
		may = keep(may, func(w *way) bool { return !w.down() && !p.pausedUntil(name, w).After(now) })
	} else {
		may = prefer(may, func(w *way) bool { return w.works(now) })
	}
	if l, ok := ws.greylisted[egress.Site(addr)]; ok && now.Before(l.until) && slices.Contains(may, l.way) {
		return l.way
	}
	if len(may) == 0 {
		return nil
	}
	best := slices.MaxFunc(may, func(a, b *way) int { return cmp.Compare(a.Score(addr), b.Score(addr)) })
	best.tried(now)
	return best
}

// ReachesIPv4 reports whether an egress leads to IPv4 addresses.
func (p *Pool) ReachesIPv4() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.ways.all, func(w *way) bool { return !w.leaving && !w.Only6 })
}

// DialContext implements [Dialer]: it connects to the address of a mail host
// by the egress of its site. The connection is none of the pool's sessions.
func (p *Pool) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("smtpprobe: %q is not an IP address and port", address)
	}
	w := p.choose("", target.Addr(), nil)
	if w == nil {
		return nil, egress.ErrNone
	}
	p.mu.Lock()
	dialer := w.Dialer // which SetEgresses may replace
	p.mu.Unlock()
	return dialer.DialContext(ctx, network, address)
}

// pausedUntil is until when a provider is paused by an egress.
func (p *Pool) pausedUntil(name string, w *way) time.Time {
	if g := p.providers[providerKey{name, w}]; g != nil {
		until, _ := g.Paused(time.Now())
		return until
	}
	return p.memory[memoryKey{name, w.Name}].PausedUntil
}

// mostBlocked is how many egresses a provider may block before it is left alone
// by all.
const mostBlocked = 2

// spread pauses a provider by all of its egresses if it blocks as many as it
// may: it would have reason to block the next, too.
func (p *Pool) spread(name string) {
	serving, now := p.ways.serving(name), time.Now()
	var ends []time.Time
	for _, w := range serving {
		if until := p.pausedUntil(name, w); until.After(now) {
			ends = append(ends, until)
		}
	}
	if len(ends) < mostBlocked {
		return
	}
	slices.SortFunc(ends, time.Time.Compare)
	until := ends[len(ends)-mostBlocked] // then it blocks fewer
	for _, w := range serving {
		if g := p.providers[providerKey{name, w}]; g != nil && p.pausedUntil(name, w).Before(until) {
			g.PauseUntil(until)
			p.tell(g, now)
			p.admit(g)
		}
	}
}

// greylistedBy notes that a site has greylisted us by an egress.
func (ws *ways) greylistedBy(w *way, addr netip.Addr, now time.Time) {
	if len(ws.all) == 1 {
		return
	}
	if len(ws.greylisted) >= maxGreylisted {
		n := 0
		for site, l := range ws.greylisted {
			if n++; n%2 == 0 || now.After(l.until) {
				delete(ws.greylisted, site)
			}
		}
	}
	ws.greylisted[egress.Site(addr)] = loyalty{w, now.Add(greylistLasts)}
}

// down reports whether the egress is taken to work no longer.
func (w *way) down() bool { return w.failures >= downAfter || len(w.silent) >= silentHosts }

// works reports whether the egress may be chosen: one that is down is tried
// now and then.
func (w *way) works(now time.Time) bool { return !w.down() || !now.Before(w.nextTry) }

// tried notes that the egress was chosen.
func (w *way) tried(now time.Time) {
	if w.down() {
		w.nextTry = now.Add(downLasts)
	}
}

// heard notes what the opening of a session shows of its egress.
func (p *Pool) heard(s *session, failure *smtp.Failure) {
	w, now := s.way, time.Now()
	before := w.down()
	switch {
	case failure != nil && s.Hurried(): // more time might have done
	case s.Opening().Greeting != nil:
		w.lastReply, w.failures, w.fault = now, 0, ""
		clear(w.silent)
	case failure == nil || failure.Phase != smtp.PhaseConnect:
	case failure.Kind == smtp.KindEgress:
		w.failures, w.fault = w.failures+1, failure.Text
	case failure.Kind == smtp.KindTimeout, failure.Kind == smtp.KindUnreachable, failure.Kind == smtp.KindRefused:
		if len(w.silent) < silentHosts {
			w.silent[s.route.addr] = struct{}{}
		}
	}
	if w.down() == before {
		return
	}
	attrs := []any{slog.String("egress", w.Name)}
	if before {
		p.config.Logger.Info("egress works again", attrs...)
		return
	}
	w.tried(now)
	p.config.Logger.Warn("egress does not work", append(attrs, slog.String("fault", w.trouble()))...)
}

// trouble says what is wrong with the egress; empty: nothing is known.
func (w *way) trouble() string {
	switch {
	case w.fault != "":
		return w.fault
	case len(w.silent) == silentHosts:
		const format = "the last %d mail hosts could not be reached: check that outgoing port 25 is open"
		return fmt.Sprintf(format, silentHosts)
	}
	return ""
}

// direct is the egress of a configuration without any.
func (c *Config) direct() egress.Egresses { return egress.Egresses{{Dialer: c.Dialer}} }

// helo is the EHLO name by an egress.
func (c *Config) helo(e egress.Egress) string { return cmp.Or(e.HELO, c.HELO) }

// mailFrom is the reverse-path by an egress.
func (c *Config) mailFrom(e egress.Egress) string {
	if e.MailFrom == nullPath {
		return ""
	}
	return cmp.Or(e.MailFrom, c.MailFrom)
}

// nullPath is the null reverse-path (RFC 5321 §4.5.5).
const nullPath = "<>"
