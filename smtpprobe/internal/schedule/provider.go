package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// provider is one that runs mail hosts, as one of our egresses knows it: it
// sees each as a client of its own. All of its hosts share it.
type provider struct {
	*pace.Provider
	key     providerKey
	first   hostKey // of its mail hosts
	tally   tally
	waiting int                // jobs
	turns   [ranks]fifo[*host] // that want a session and may not have it yet
	queued  [ranks]bool        // it waits for a session of its egress, or of all
	timer   timer              // lets its hosts go on
	said    Said               // the last reply
	told    told               // as logged
}

// Said is the last reply of a provider to an egress. Its text is left out, as
// it may name a mailbox.
type Said struct {
	Provider string // its pacing name
	At       time.Time
	Class    replies.Class
	Code     int
	Enhanced string // empty: there was none
}

// told is what the log has last said of a provider.
type told struct {
	trouble pace.Trouble
	paused  bool
}

// providerKey names a provider, by its pacing name, and the egress.
type providerKey struct {
	name   string
	egress *egress
}

// memoryKey is the same in what an earlier plan has left.
type memoryKey struct{ provider, egress string }

// hostsWait reports whether hosts wait for their turn.
func (g *provider) hostsWait() bool { return g.turns[single].len()+g.turns[list].len() > 0 }

// paceFor finds the provider of a mail host. One that is in the table takes the
// place of one that is not: the host has had another name so far. (Rule 6.6)
func (s *State) paceFor(h *host, p pace.Table) {
	if g := h.provider; g != nil && (g.Rules().Known || !p.Known || len(h.sessions) > 0 || h.waitsForTurn()) {
		return
	}
	key := providerKey{p.Provider, h.key.egress}
	g := s.providers[key]
	if g == nil {
		g = s.newProvider(key, p)
		g.first = h.key
		s.providers[key] = g
	}
	if g.first != h.key {
		g.Several()
	}
	if h.provider != nil && h.provider != g {
		h.provider.waiting -= h.queue.len()
		g.waiting += h.queue.len()
	}
	h.provider = g
}

func (s *State) newProvider(key providerKey, p pace.Table) *provider {
	if len(s.providers) >= max(maxProviderNotes, 2*s.sweptProviders) {
		s.sweepProviders()
	}
	g := &provider{key: key, Provider: pace.NewProvider(s.config.Pace.Rules(p), s.config.Pace)}
	memory := memoryKey{key.name, key.egress.Name}
	if m, ok := s.memory[memory]; ok {
		g.Remember(m)
		delete(s.memory, memory)
	} else if since := key.egress.Since; !since.IsZero() {
		g.Aged(s.now.Sub(since))
	}
	return g
}

// sweepProviders forgets the providers that are not in use, and of which
// nothing is worth keeping.
func (s *State) sweepProviders() {
	used := map[*provider]bool{}
	for _, h := range s.hosts {
		if h.inUse() {
			used[h.provider] = true
		}
	}
	for key, g := range s.providers {
		if !used[g] && !g.hostsWait() && g.queued == [ranks]bool{} && g.Stale(s.now) {
			s.stop(&g.timer)
			delete(s.providers, key)
		}
	}
	for _, h := range s.hosts {
		if h.provider != nil && s.providers[h.provider.key] != h.provider {
			h.provider = nil // until it is asked again
		}
	}
	s.sweptProviders = len(s.providers)
}

// said is a reply in a domain; early: it came before RCPT.
type said struct {
	domain   string
	class    replies.Class
	code     int
	enhanced string
	early    bool
}

// note records what a reply says about the provider. When all are noted, noted
// is called.
func (s *State) note(x *session, r said) {
	g := x.host.provider
	g.said = Said{Provider: g.key.name, At: s.now, Class: r.class, Code: r.code, Enhanced: r.enhanced}
	switch {
	case r.class.AboutMailbox():
		g.Answered(r.domain)
	case r.class == replies.ClassBlocked:
		g.Blocked(r.domain, r.early, r.code, s.now)
	case r.class == replies.ClassGreylisted:
		s.greylisted(x.host.key)
	case r.class == replies.ClassRateLimited:
		g.RateLimited(x.began, s.now)
	}
}

// noteOpening notes what a session that did not get as far as MAIL has shown
// about the provider.
func (s *State) noteOpening(x *session, first *job, early []Early) {
	for _, r := range early {
		s.note(x, said{first.nameOfHost(), r.Class, r.Code, r.Enhanced, true})
	}
	s.noted(x.host.provider)
}

func (j *job) nameOfHost() string { return cmp.Or(j.Host, j.Addr.String()) }

// noted draws the consequences of what was noted about a provider: a pause
// answers all that wait. (Rule 7.1)
func (s *State) noted(g *provider) {
	s.tell(g)
	if _, paused := g.Paused(s.now); paused {
		s.troubled[g.key.name] = true
		for _, h := range s.hostsOf(func(h *host) bool { return h.provider.key.name == g.key.name }) {
			s.touch(h)
		}
		for _, e := range s.egresses.serving(g.key.name) {
			if other := s.providers[providerKey{g.key.name, e}]; other != nil && other != g {
				s.tell(other)
			}
		}
	}
}

// hostsOf returns the hosts at which jobs wait, in an order that is always the
// same.
func (s *State) hostsOf(ok func(*host) bool) []*host {
	var all []*host
	for _, h := range s.hosts {
		if h.queue.len()+h.held.n > 0 && ok(h) {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b *host) int {
		return cmp.Or(a.key.addr.Compare(b.key.addr), cmp.Compare(a.key.egress.ID, b.key.egress.ID))
	})
	return all
}

// pausedUntil reports whether a provider is paused by an egress, and until
// when: it is by all of its egresses while it blocks two of them, as it would
// have reason to block the next, too. (Rule 7.2)
func (s *State) pausedUntil(g *provider) (time.Time, bool) {
	until, paused := g.Paused(s.now)
	if spread := s.spread(g.key.name); spread.After(until) {
		return spread, true
	}
	return until, paused
}

// ownPause is until when an egress is paused by itself.
func (s *State) ownPause(name string, e *egress) time.Time {
	if g := s.providers[providerKey{name, e}]; g != nil {
		until, _ := g.Paused(s.now)
		return until
	}
	return s.memory[memoryKey{name, e.Name}].PausedUntil
}

// spread is until when a provider is paused by all egresses; zero: it is not.
func (s *State) spread(name string) time.Time {
	if !s.troubled[name] || len(s.egresses.all) < mostBlocked {
		return time.Time{}
	}
	var ends []time.Time
	for _, e := range s.egresses.serving(name) {
		if until := s.ownPause(name, e); until.After(s.now) {
			ends = append(ends, until)
		}
	}
	if len(ends) < mostBlocked {
		if len(ends) == 0 {
			delete(s.troubled, name)
		}
		return time.Time{}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[len(ends)-mostBlocked] // then it blocks fewer
}

// isPaused reports whether a provider is paused by an egress.
func (s *State) isPaused(name string, e *egress) bool {
	return s.ownPause(name, e).After(s.now) || s.spread(name).After(s.now)
}

// answerPaused answers the jobs that wait for a host whose provider is paused.
// (Rule 7.1)
func (s *State) answerPaused(h *host) {
	for _, j := range h.queue.all() {
		s.answer(j, s.pause(h.provider))
	}
}

// pause is the answer of a job whose provider is paused.
func (s *State) pause(g *provider) Answered {
	state := s.stateOf(g)
	a := Answered{Result: Paused, Retry: state.PausedUntil.Sub(s.now)}
	if state.Paused == pace.RateLimited {
		a.Result = Slowed
	}
	return a
}

// stateOf is how a provider is asked.
func (s *State) stateOf(g *provider) pace.State {
	state := g.State(s.now)
	if until, paused := s.pausedUntil(g); paused && until.After(state.PausedUntil) {
		state.PausedUntil, state.Paused = until, pace.Blocked
	}
	return state
}

// tell has the log say that a provider is asked otherwise than before.
func (s *State) tell(g *provider) {
	state := s.stateOf(g)
	news := told{cmp.Or(state.Paused, state.Slowed), state.Paused != ""}
	if news != g.told {
		g.told = news
		s.do(Action{Do: Tell, News: News{Provider: g.key.name, Egress: g.key.egress.Name, State: state}})
	}
}

// remember keeps what an earlier plan knew until it is needed, also of egresses
// that there are not: they may be added.
func (s *State) remember(all []pace.Memory) {
	for _, m := range all {
		if len(s.memory) < maxProviderNotes {
			s.memory[memoryKey{m.Provider, m.Egress}] = m
			s.troubled[m.Provider] = true
		}
	}
}

// memoryOf is what is worth keeping of an egress.
func (s *State) memoryOf(e *egress) (all []pace.Memory) {
	for key, g := range s.providers {
		if key.egress != e {
			continue
		}
		if m, ok := g.Memory(s.now); ok {
			if until, paused := s.pausedUntil(g); paused && until.After(m.PausedUntil) {
				m.PausedUntil, m.Paused = until, pace.Blocked
			}
			m.Egress = e.Name
			all = append(all, m)
		}
	}
	return all
}
