//go:build !plan

package smtpprobe

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// paced is a provider as one of our egresses knows it: it sees each as a client
// of its own. All mail hosts of the provider share it. The pool's lock guards
// it.
type paced struct {
	*pacing.Provider
	key     providerKey
	first   hostKey     // of its mail hosts
	turn    []*mailHost // that want a session and may not have it yet, in the order in which they are served
	alive   int         // sessions that are open or being opened, and not about to end
	idle    int         // sessions
	listing int         // sessions with jobs of a list
	alarm   alarm       // calls admit
	said    Said        // the last reply
	told    told        // as logged
}

// told is what the log has last said of a provider.
type told struct {
	trouble pacing.Trouble
	paused  bool
}

// providerKey names a provider, by its pacing name, and the egress.
type providerKey struct {
	name   string
	egress *egresses.Egress
}

// memoryKey is the same in what an earlier pool has left.
type memoryKey struct{ provider, egress string }

// providerBook holds the providers with which the pool has to do.
type providerBook map[providerKey]*paced

// paceFor returns the provider of a mail host. One that is in the table takes
// the place of one that is not: the host has had another name so far. The
// pool's lock is held.
func (p *Pool) paceFor(h *mailHost, r route) *paced {
	if h.paced != nil {
		renamed := !h.paced.Rules().Known && h.sessions == 0 && !h.inTurn && provider.Of(r.host).Name != ""
		if !renamed {
			return h.paced
		}
	}
	table := provider.Pacing(r.host, r.addr.Addr())
	key := providerKey{table.Provider, r.egress}
	g := p.providers[key]
	if g == nil {
		g = p.newPaced(key, table)
		g.first = h.key
		p.providers[key] = g
		p.spread(key.name)
	}
	if g.first.addr != h.key.addr {
		g.Several()
	}
	h.paced = g
	return g
}

func (p *Pool) newPaced(key providerKey, table pacing.Table) *paced {
	if len(p.providers) >= max(maxProviderNotes, 2*p.sweptProviders) {
		p.sweepProviders()
	}
	g := &paced{key: key, Provider: pacing.NewProvider(p.config.Pace.Rules(table), p.config.Pace)}
	memory := memoryKey{key.name, key.egress.Name}
	if m, ok := p.memory[memory]; ok {
		g.Remember(m)
		delete(p.memory, memory)
	} else if since := key.egress.Since; !since.IsZero() {
		g.Aged(time.Since(since))
	}
	return g
}

// sweepProviders forgets the providers that are not in use, and of which
// nothing is worth keeping.
func (p *Pool) sweepProviders() {
	used := map[*paced]bool{}
	for _, h := range p.hosts {
		if h.inUse() {
			used[h.paced] = true
		}
	}
	now := time.Now()
	for key, g := range p.providers {
		if !used[g] && len(g.turn) == 0 && g.Stale(now) {
			delete(p.providers, key)
		}
	}
	for _, h := range p.hosts {
		if h.paced != nil && p.providers[h.paced.key] != h.paced {
			h.paced = nil // until it is asked again
		}
	}
	p.sweptProviders = len(p.providers)
}

// note records what a reply in a domain says about the provider; early: it came
// before RCPT. When all replies are noted, noted is called. The pool's lock is
// held.
func (p *Pool) note(s *session, domain string, said belief.Said, early bool) {
	g, now := s.paced, time.Now()
	g.said = Said{
		Provider: g.key.name, At: now, Class: said.Class, Code: said.Reply.Code, Enhanced: said.Reply.Enhanced,
	}
	switch {
	case said.Class.AboutMailbox():
		g.Answered(domain, now)
	case said.Class == replies.ClassBlocked:
		g.Blocked(domain, early, said.Reply.Code, now)
	case said.Class == replies.ClassGreylisted:
		p.egresses.Greylisted(s.route.egress, s.route.addr.Addr(), now)
		g.Observed(now)
	case said.Class == replies.ClassRateLimited:
		g.RateLimited(s.began, now)
	default:
		g.Observed(now)
	}
}

// noted draws the consequences of what was noted about a provider.
func (p *Pool) noted(g *paced) {
	now := time.Now()
	p.tell(g, now)
	if _, ok := g.Paused(now); ok {
		p.spread(g.key.name)
		p.admit(g)
	}
}

// pausedUntil is until when a provider is paused by an egress.
func (p *Pool) pausedUntil(name string, e *egresses.Egress) time.Time {
	if g := p.providers[providerKey{name, e}]; g != nil {
		until, _ := g.Paused(time.Now())
		return until
	}
	return p.memory[memoryKey{name, e.Name}].PausedUntil
}

// mostBlocked is how many egresses a provider may block before none asks it.
const mostBlocked = 2

// spread pauses a provider on all of its egresses once it blocks two of them
// ([mostBlocked]): it would have reason to block the next, too.
func (p *Pool) spread(name string) {
	serving, now := p.egresses.Serving(name), time.Now()
	var ends []time.Time
	for _, e := range serving {
		if until := p.pausedUntil(name, e); until.After(now) {
			ends = append(ends, until)
		}
	}
	if len(ends) < mostBlocked {
		return
	}
	slices.SortFunc(ends, time.Time.Compare)
	until := ends[len(ends)-mostBlocked] // then it blocks fewer
	for _, e := range serving {
		if g := p.providers[providerKey{name, e}]; g != nil && p.pausedUntil(name, e).Before(until) {
			g.PauseUntil(until)
			p.tell(g, now)
			p.admit(g)
		}
	}
}

// noteRecipient records what a reply about a recipient says about the provider.
func (p *Pool) noteRecipient(s *session, r *belief.Heard) {
	if r.Role == belief.Target {
		s.paced.Mailbox(r.Dead(), time.Now())
	}
	p.note(s, r.Domain, r.Said, false)
}

// tell logs that a provider is asked less than before, and why.
func (p *Pool) tell(g *paced, now time.Time) {
	s := g.State(now)
	news := told{cmp.Or(s.Paused, s.Slowed), s.Paused != ""}
	if news == g.told {
		return
	}
	g.told = news
	text := "provider is asked as usual again"
	attrs := []any{slog.String("provider", g.key.name)}
	if name := g.key.egress.Name; name != "" {
		attrs = append(attrs, slog.String("egress", name))
	}
	switch news.trouble {
	case "":
		p.config.Logger.Info(text, attrs...)
		return
	case pacing.Blocked:
		text = "provider refuses us, and is paused"
		attrs = append(attrs, slog.Time("until", s.PausedUntil))
	case pacing.RateLimited:
		text = "provider finds us too fast, and is asked more slowly"
		if attrs = withSessions(attrs, s); news.paused {
			text = "provider still finds us too fast, and is paused"
			attrs = append(attrs, slog.Time("until", s.PausedUntil))
		}
	case pacing.Harvesting:
		text = "so many mailboxes do not exist that the provider may take us for harvesters: it is asked more slowly"
		attrs = withSessions(append(attrs, slog.Float64("refused", s.Refused)), s)
	case pacing.BudgetSpent:
		text = "provider has heard as many recipients as it may in a day"
		attrs = append(attrs, slog.Int("recipients", s.LastDay))
	}
	p.config.Logger.Warn(text, attrs...)
}

// withSessions adds how many sessions a provider may have, if that is limited.
func withSessions(attrs []any, s pacing.State) []any {
	if s.Allowed < 0 {
		return attrs
	}
	return append(attrs, slog.Int("sessions", s.Allowed))
}

// known returns the result of a job that needs no session: the provider of the
// host is paused, or the host has just shown that it cannot be asked.
func (p *Pool) known(j *job) (result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return result{}, false
	}
	if j.route.egress.Leaving {
		return result{err: errMoved}, true
	}
	h := p.host(j)
	if _, ok := h.paced.Paused(time.Now()); ok {
		return result{session: h.paced.pausedSession(j)}, true
	}
	if h.failed != nil && !h.failed.over() {
		return h.failed.remembered(j)
	}
	return result{}, false
}

// pausedSession is the session of a job whose provider is paused.
func (g *paced) pausedSession(j *job) *Session {
	s := g.State(time.Now())
	wait := time.Until(s.PausedUntil).Round(time.Second)
	kind, why := smtp.KindPaused, "refused us"
	if s.Paused == pacing.RateLimited {
		kind, why = smtp.KindLimited, "found us too fast"
	}
	f := &smtp.Failure{
		Phase: smtp.PhaseConnect, Kind: kind, RetryAfter: wait,
		Text: fmt.Sprintf("not asked: the provider %s, and is paused for another %v", why, wait),
	}
	return notTried(j, f)
}

// limitedSession is the session of a job that has less time than the wait for
// its provider takes.
func limitedSession(j *job, wait time.Duration) *Session {
	return notInTime(j, wait, "its provider is asked as much as it may be; it may be its turn in %v")
}

// busySession is the session of a job whose time ended while it waited.
func busySession(j *job, wait time.Duration) *Session {
	return notInTime(j, wait, "no session with the host became free in time; it may be its turn in %v")
}
