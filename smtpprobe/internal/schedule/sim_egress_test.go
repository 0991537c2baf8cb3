package schedule

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// simEgress is an egress as seen from outside.
type simEgress struct {
	Egress
	since    time.Time // it was added
	gone     bool
	failures int // in a row
	silent   map[int]bool
	tries    []time.Time // of the egress while it was down: when the jobs came that were asked by it
}

// setEgresses notes which egresses there are.
func (l *life) setEgresses(all []Egress, routes map[string][]string) {
	l.routes, l.routing = routes, l.routing+1
	for _, e := range l.egresses {
		e.gone = true
	}
	for _, p := range l.paces {
		p.paused = time.Time{} // it may have been for those that are gone
	}
	for _, e := range all {
		if i := slices.IndexFunc(l.egresses, func(old *simEgress) bool { return old.ID == e.ID }); i >= 0 {
			l.egresses[i].Egress, l.egresses[i].gone = e, false
			continue
		}
		l.egresses = append(l.egresses, &simEgress{Egress: e, since: l.now, silent: map[int]bool{}})
	}
	l.forgetEgresses()
}

// forgetEgresses forgets those that are gone and have no session any more.
func (l *life) forgetEgresses() {
	l.egresses = slices.DeleteFunc(l.egresses, func(e *simEgress) bool {
		for _, x := range l.sessions {
			if x.egress == e.ID {
				return false
			}
		}
		if !e.gone {
			return false
		}
		for key := range l.paces {
			if key.egress == e.ID {
				delete(l.paces, key)
			}
		}
		for key, c := range l.clients {
			if key.egress == e.ID {
				c.slow, c.offered, c.each, c.window, c.failed = time.Time{}, time.Time{}, 0, 0, ""
			}
		}
		return true
	})
}

func (l *life) egress(id EgressID) *simEgress {
	for _, e := range l.egresses {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// serves reports whether a host may be asked by an egress, going by its family
// and its route.
func (l *life) serves(e *simEgress, host int) bool {
	h := &l.world.hosts[host]
	names, routed := l.routes[h.provider.Provider]
	if !routed {
		names, routed = l.routes[defaultRoute]
	}
	if h.addr.Addr().Is4() && e.Only6 || h.addr.Addr().Is6() && e.Only4 {
		return false
	}
	return !e.gone && (!routed || slices.Contains(names, e.Name))
}

func (e *simEgress) down() bool { return e.failures >= 3 || len(e.silent) >= 10 }

// noteWay notes what there is for a job that comes.
func (l *life) noteWay(j *simJob) {
	j.loyal, j.down, j.routing = 0, j.down[:0], l.routing
	up := 0
	for _, e := range l.egresses {
		switch ok := l.serves(e, j.host) && !slices.Contains(j.Without, e.ID); {
		case !ok:
		case e.down():
			j.down = append(j.down, e.ID)
		default:
			up++
			if g := l.greyed[j.host]; g.egress == e.ID && g.e == e && l.now.Before(g.until) && len(j.Without) == 0 {
				j.loyal = e.ID
			}
		}
	}
	j.ways, j.up = up+len(j.down), up
	if up == 0 {
		j.down = j.down[:0] // there is no better one
	}
}

// checkWay holds rules 8.1 and 8.3 to 8.6, and 7.1 and 7.2.
func (l *life) checkWay(a Action, j *simJob) {
	e := l.egress(a.Egress)
	switch {
	case e == nil || e.gone:
		l.wrong("a session by egress %d, which is gone", a.Egress)
	case slices.Contains(j.Without, a.Egress):
		l.wrong("job %d is asked by egress %d once more", j.ID, a.Egress)
	case !l.serves(e, j.host) && j.routing == l.routing:
		l.wrong("egress %d does not serve host %d", a.Egress, j.host)
	case j.loyal != 0 && j.loyal != a.Egress && j.routing == l.routing:
		l.wrong("host %d has greylisted egress %d, and is asked by %d", j.host, j.loyal, a.Egress)
	case l.isPaused(j.host, a.Egress):
		l.wrong("a session with a provider that is paused")
	case slices.Contains(j.down, a.Egress) && j.asked == 0:
		if slices.ContainsFunc(e.tries, func(t time.Time) bool { return j.came.Sub(t).Abs() < downLasts }) {
			l.wrong("egress %d is down, and is tried again at once", a.Egress)
		}
		e.tries = append(e.tries, j.came)
	}
}

// noteOpening notes what the opening of a session shows of its egress.
func (l *life) noteOpening(x *simSession, failed *NotOpened) {
	e := l.egress(x.egress)
	if x.aborted || e == nil || failed != nil && (failed.Resources || failed.Hurried && failed.Failure != "") {
		return
	}
	before := e.down()
	switch {
	case failed == nil || failed.Greeted:
		e.failures, e.silent = 0, map[int]bool{}
	case failed.Phase != smtp.PhaseConnect:
	case failed.Failure == smtp.KindEgress:
		e.failures++
	case failed.Failure == smtp.KindTimeout:
		e.silent[x.host] = true
	}
	if e.down() != before {
		if e.tries = nil; !before {
			e.tries = []time.Time{l.now}
		}
	}
}

// loyalty is that of a host which has greylisted an egress.
type greylisting struct {
	egress EgressID
	e      *simEgress
	until  time.Time
}

// noteGreylisting notes that a host wants us to come back. What it says of a
// proof alone is not about a question. What it says in a transaction that ends
// in trouble is believed of some, so that nothing is expected then.
func (l *life) noteGreylisting(x *simSession, o *Outcome) {
	greyed := func(r belief.Heard) bool { return r.Class == replies.ClassGreylisted }
	switch {
	case o.Targets == 0 || len(l.egresses) < 2 || !slices.ContainsFunc(o.Named, greyed):
	case x.aborted || o.Trouble != belief.None:
		delete(l.greyed, x.host)
	default:
		l.greyed[x.host] = greylisting{x.egress, l.egress(x.egress), l.now.Add(greylistLasts)}
	}
}
