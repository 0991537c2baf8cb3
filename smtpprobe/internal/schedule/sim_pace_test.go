package schedule

import (
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// paceKey is how a provider knows us.
type paceKey struct {
	provider string
	egress   EgressID
}

// simPace is what a provider has had of an egress.
type simPace struct {
	hosts       map[int]bool // that were asked
	opened      recent
	minute, day recent // recipients named
	paused      time.Time
}

// recent is what happened in the last while.
type recent struct {
	at  []time.Time
	n   []int
	sum int
}

func (r *recent) add(n int, now time.Time) {
	r.at, r.n, r.sum = append(r.at, now), append(r.n, n), r.sum+n
}

// within is how much there was in the last while.
func (r *recent) within(d time.Duration, now time.Time) int {
	for len(r.at) > 0 && now.Sub(r.at[0]) >= d {
		r.sum -= r.n[0]
		r.at, r.n = r.at[1:], r.n[1:]
	}
	return r.sum
}

func (l *life) paceOf(host int, e EgressID) *simPace {
	key := paceKey{l.world.hosts[host].provider.Provider, e}
	if l.paces[key] == nil {
		l.paces[key] = &simPace{hosts: map[int]bool{}}
	}
	return l.paces[key]
}

// rulesOf are the limits of a provider.
func (l *life) rulesOf(host int) *pace.Limits {
	if l.rules[host] == nil {
		r := l.world.config.Pace.Rules(l.world.hosts[host].provider)
		l.rules[host] = &r.Limits
	}
	return l.rules[host]
}

// hasLimit reports whether the sessions of a provider are limited: those of one
// that is in no table are from its second host on.
func (l *life) hasLimit(host int, p *simPace) bool {
	s := &l.world.config.Pace
	return l.world.hosts[host].provider.Known || s.Preset == pace.Careful || s.Unknown.Sessions != 0 || len(p.hosts) > 1
}

// share is what the jobs of a rank may use of a limit: an eighth of it, or one,
// is kept for single checks.
func share(limit int, list bool) int {
	if list && limit > 1 {
		limit -= max(1, limit/8)
	}
	return limit
}

// checkLimits holds rules 2.4 and 6.1 for a session that is to be opened.
func (l *life) checkLimits(a Action, host int, list bool) {
	p := l.paceOf(host, a.Egress)
	p.hosts[host] = true
	all, ofHost, ofEgress, ofProvider := 1, 1, 1, 1
	for _, x := range l.sessions {
		if all++; x.egress != a.Egress {
			continue
		}
		if ofEgress++; x.host == host {
			ofHost++
		}
		if l.world.hosts[x.host].provider.Provider == l.world.hosts[host].provider.Provider {
			ofProvider++
		}
	}
	c, limits := &l.world.config, l.rulesOf(host)
	within := func(what string, n, limit int) {
		if most := share(limit, list); limit > 0 && n > most {
			l.wrong("%s: %d sessions of at most %d", what, n, most)
		}
	}
	within("all", all, c.MaxSessions)
	within("host", ofHost, c.MaxSessionsPerHost)
	within("egress", ofEgress, c.Pace.Egress.Sessions)
	within("minute", p.opened.within(time.Minute, l.now)+1, limits.SessionsPerMinute)
	if l.hasLimit(host, p) {
		within("provider", ofProvider, limits.Sessions)
	}
	p.opened.add(1, l.now)
}

// checkNamed holds rule 6.1 for the recipients of a transaction: one that is
// not the first of its session begins only where there is room for a question,
// and none names more than there is room for.
func (l *life) checkNamed(x *simSession, a Action, list bool) {
	p, limits := l.paceOf(x.host, x.egress), l.rulesOf(x.host)
	named := len(a.Targets) + len(a.Controls)
	if a.Proof != "" {
		named++
	}
	within := func(what string, used, limit int) {
		if most := share(limit, list); most >= pace.LeastNamed {
			limit = most
		}
		switch {
		case limit <= 0 || len(a.Targets) == 0:
		case x.runs > 0 && used >= max(1, limit-2):
			l.wrong("%s: a question where %d recipients of %d were named", what, used, limit)
		case named > max(3, limit-used):
			l.wrong("%s: %d recipients where %d of %d were named", what, named, used, limit)
		}
	}
	within("minute", p.minute.within(time.Minute, l.now), limits.RecipientsPerMinute)
	within("day", p.day.within(24*time.Hour, l.now), limits.RecipientsPerDay)
	if limit := limits.RecipientsPerSession; limit > 0 && len(a.Targets) > 0 && named > max(3, limit-x.named) {
		l.wrong("session: %d recipients where %d of %d were named", named, x.named, limit)
	}
	l.named(x, named)
	l.checkBudget(x, a, named)
}

func (l *life) named(x *simSession, n int) {
	p := l.paceOf(x.host, x.egress)
	p.minute.add(n, l.now)
	p.day.add(n, l.now)
}

// checkBudget holds that of the first day, which is the same under whatever
// number the egress comes back.
func (l *life) checkBudget(x *simSession, a Action, named int) {
	first := l.world.config.Pace.Egress.FirstDay
	today := start.Unix() / int64(24*time.Hour/time.Second)
	if first < 0 || l.now.Unix()/int64(24*time.Hour/time.Second) != today {
		return
	}
	key := paceKey{l.world.hosts[x.host].provider.Provider, x.egress}
	level, used := 0, l.budgets[key]
	switch e := l.egress(x.egress); {
	case l.removed || e == nil:
		level = 5
	case !e.Since.IsZero():
		level = min(5, int(l.now.Sub(e.Since)/(24*time.Hour)))
	}
	for _, m := range l.world.config.Memory {
		if m.Provider == key.provider && m.Egress == "e"+string('0'+rune(x.egress-1)) {
			level, used = max(level, m.Budget.Level), used+m.Budget.Named
		}
	}
	if limit := first << level; len(a.Targets) > 0 && named > max(3, limit-used) {
		l.wrong("first day: %d recipients where %d of %d were named", named, used, limit)
	}
	l.budgets[key] += named
}

// notePause notes what the log says of a provider.
func (l *life) notePause(n News) {
	if n.Provider == "" || n.State.Paused == "" {
		return
	}
	for _, e := range l.egresses {
		if e.Name == n.Egress {
			key := paceKey{n.Provider, e.ID}
			if l.paces[key] == nil {
				l.paces[key] = &simPace{hosts: map[int]bool{}}
			}
			l.paces[key].paused = n.State.PausedUntil
		}
	}
}

// isPaused reports whether a provider is paused by an egress, or by two others.
func (l *life) isPaused(host int, e EgressID) bool {
	name, others := l.world.hosts[host].provider.Provider, 0
	for _, other := range l.egresses {
		p := l.paces[paceKey{name, other.ID}]
		if p == nil || !l.now.Before(p.paused) || !l.serves(other, host) {
			continue
		}
		if others++; other.ID == e {
			return true
		}
	}
	return others >= 2
}
