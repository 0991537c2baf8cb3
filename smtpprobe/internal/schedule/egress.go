package schedule

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/sites"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// defaultRoute is the route of the providers that have none of their own.
const defaultRoute = "default"

// egress is an egress with what is known of it.
type egress struct {
	Egress
	tally     tally
	queued    waitingLine // for one of its sessions
	leaving   bool        // it was removed: it is not chosen, and opens no session
	lastReply time.Time   // when a mail host last greeted us by it; zero: none did

	failures int    // of its own, in a row
	fault    string // the last of them
	silent   map[netip.AddrPort]struct{}
	nextTry  time.Time // of an egress that is down
}

// egressSet is the egresses.
type egressSet struct {
	all    []*egress           // with those that were removed and are not yet forgotten
	routes map[string][]string // names of egresses by provider
	loyal  book[netip.Prefix, loyalty]
}

// loyalty is that of a site to the egress by which it has greylisted us.
type loyalty struct {
	egress *egress
	until  time.Time
}

// replace replaces the egresses and routes, and returns those that this
// removes. They are not chosen any more, and stay until they are forgotten.
func (s *egressSet) replace(all []Egress, routes map[string][]string) (gone []*egress) {
	gone = slices.Clone(s.all)
	for _, now := range all {
		i := slices.IndexFunc(gone, func(e *egress) bool { return e.ID == now.ID })
		if i < 0 {
			s.all = append(s.all, &egress{Egress: now, silent: make(map[netip.AddrPort]struct{})})
			continue
		}
		gone[i].Egress, gone[i].leaving = now, false
		gone = slices.Delete(gone, i, i+1)
	}
	s.routes = routes
	return slices.DeleteFunc(gone, func(e *egress) bool {
		before := e.leaving
		e.leaving = true
		return before
	})
}

// serving returns the egresses by which a provider may be asked. (Rule 8.1)
func (s *egressSet) serving(provider string) []*egress {
	names, routed := s.routes[provider]
	if !routed {
		names, routed = s.routes[defaultRoute]
	}
	return keep(s.all, func(e *egress) bool { return !e.leaving && (!routed || slices.Contains(names, e.Name)) })
}

func (e *egress) reaches(addr netip.Addr) bool {
	if addr.Unmap().Is4() {
		return !e.Only6
	}
	return !e.Only4
}

// choose returns the egress by which an address of a provider is asked; nil:
// none leads there. If it could not be asked by those in without, it returns
// one that works and by which the provider is not paused; nil: there is none.
// (Rules 8.1 to 8.4 and 8.6)
func (s *State) choose(provider string, addr netip.Addr, without []EgressID) *egress {
	set := &s.egresses
	if len(set.all) == 1 && set.routes == nil && len(without) == 0 {
		if e := set.all[0]; e.reaches(addr) && !e.leaving {
			return e
		}
		return nil
	}
	may := keep(set.serving(provider), func(e *egress) bool {
		return e.reaches(addr) && !slices.Contains(without, e.ID)
	})
	if len(without) > 0 {
		may = keep(may, func(e *egress) bool { return !e.down() && !s.isPaused(provider, e) })
	} else if some := keep(may, func(e *egress) bool { return e.works(s.now) }); len(some) > 0 {
		may = some
	}
	l, ok := set.loyal.get(sites.Of(addr))
	if ok && s.now.Before(l.until) && slices.Contains(may, l.egress) {
		return l.egress
	}
	if len(may) == 0 {
		return nil
	}
	best := slices.MaxFunc(may, func(a, b *egress) int { return cmp.Compare(a.score(addr), b.score(addr)) })
	best.tried(s.now)
	return best
}

func (e *egress) score(addr netip.Addr) float64 { return sites.Score(addr, e.Key, e.Weight) }

// greylisted notes that a site has greylisted us by an egress. (Rule 8.3)
func (s *State) greylisted(key hostKey) {
	if len(s.egresses.all) > 1 {
		s.egresses.loyal.put(sites.Of(key.addr.Addr()), loyalty{key.egress, s.now.Add(greylistLasts)})
	}
}

// down reports whether the egress is taken to work no longer. (Rule 8.4)
func (e *egress) down() bool { return e.failures >= downAfter || len(e.silent) >= silentHosts }

// works reports whether the egress may be chosen: one that is down is tried now
// and then.
func (e *egress) works(now time.Time) bool { return !e.down() || !now.Before(e.nextTry) }

// tried notes that the egress was chosen.
func (e *egress) tried(now time.Time) {
	if e.down() {
		e.nextTry = now.Add(downLasts)
	}
}

// hears notes what the opening of a session with a mail host shows of its
// egress: that the host greeted us, or why it did not; nil: it was opened.
// (Rule 8.4)
func (s *State) hears(e *egress, addr netip.AddrPort, greeted bool, failed *NotOpened) {
	before := e.down()
	switch {
	case greeted:
		e.lastReply, e.failures, e.fault = s.now, 0, ""
		clear(e.silent)
	case failed == nil || failed.Phase != smtp.PhaseConnect:
	case failed.Failure == smtp.KindEgress:
		e.failures, e.fault = e.failures+1, failed.Text
	case unanswered(failed.Failure) && len(e.silent) < silentHosts:
		e.silent[addr] = struct{}{}
	}
	if e.down() == before {
		return
	}
	news := News{Egress: e.Name}
	if e.down() {
		e.tried(s.now)
		news.Fault = e.faultNow()
	}
	s.do(Action{Do: Tell, News: news})
}

// faultNow says what is wrong with the egress; empty: nothing is known.
func (e *egress) faultNow() string {
	switch {
	case e.fault != "":
		return e.fault
	case len(e.silent) == silentHosts:
		const format = "the last %d mail hosts could not be reached: check that outgoing port 25 is open"
		return fmt.Sprintf(format, silentHosts)
	}
	return ""
}

// setEgresses replaces the egresses. One that was removed ends its sessions and
// is forgotten; those that wait for it go on by another. (Rule 8.5)
func (s *State) setEgresses(e SetEgresses) {
	for _, gone := range s.egresses.replace(e.All, e.Routes) {
		s.do(Action{Do: Tell, News: News{Egress: gone.Name, Removed: true, Sessions: gone.tally.all()}})
		for _, x := range slices.Clone(s.idle) {
			if x.host.key.egress == gone {
				s.end(x, Quit)
			}
		}
		for _, h := range s.hostsOf(func(h *host) bool { return h.key.egress == gone }) {
			for _, j := range h.queue.all() {
				s.answer(j, Answered{Result: Moved})
			}
			s.touch(h)
		}
		s.forgetEgress(gone)
	}
}

// forgetEgress forgets an egress that was removed, once its last session has
// ended. What is worth keeping of how providers were asked by it stays, for the
// case that it comes back.
func (s *State) forgetEgress(e *egress) {
	if !e.leaving || e.tally.all() > 0 {
		return
	}
	for _, m := range s.memoryOf(e) {
		s.memory[memoryKey{m.Provider, m.Egress}] = m
		s.troubled[m.Provider] = true
	}
	for _, h := range s.hostsOf(func(h *host) bool { return h.key.egress == e }) {
		for h.held.first != nil {
			s.answer(h.held.first, Answered{Result: Unproven})
		}
	}
	for key, h := range s.hosts {
		if key.egress == e {
			s.stop(&h.timer)
			delete(s.hosts, key)
		}
	}
	for key, g := range s.providers {
		if key.egress == e {
			s.stop(&g.timer)
			delete(s.providers, key)
		}
	}
	s.egresses.all = slices.DeleteFunc(s.egresses.all, func(other *egress) bool { return other == e })
}

// keep returns those for which ok is true.
func keep(all []*egress, ok func(*egress) bool) []*egress {
	return slices.DeleteFunc(slices.Clone(all), func(e *egress) bool { return !ok(e) })
}
