package schedule

import (
	"fmt"
	"math"
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
	scores book[netip.Prefix, []float64] // of all, by site
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
	s.scores = book[netip.Prefix, []float64]{most: maxScored}
	return slices.DeleteFunc(gone, func(e *egress) bool {
		before := e.leaving
		e.leaving = true
		return before
	})
}

// route returns the names of the egresses by which a provider may be asked;
// not routed: it may be by all. (Rule 8.1)
func (s *egressSet) route(provider string) (names []string, routed bool) {
	if names, routed = s.routes[provider]; !routed {
		names, routed = s.routes[defaultRoute]
	}
	return names, routed
}

func (e *egress) serves(names []string, routed bool) bool {
	return !e.leaving && (!routed || slices.Contains(names, e.Name))
}

// serving returns the egresses by which a provider may be asked.
func (s *egressSet) serving(provider string) []*egress {
	names, routed := s.route(provider)
	return slices.DeleteFunc(slices.Clone(s.all), func(e *egress) bool { return !e.serves(names, routed) })
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
	scores := set.scoresOf(addr)
	if l, ok := set.loyal.get(sites.Of(addr)); ok && s.now.Before(l.until) {
		scores = slices.Clone(scores)
		if i := slices.Index(set.all, l.egress); i >= 0 {
			scores[i] = math.Inf(1)
		}
	}
	names, routed := set.route(provider)
	var best, spare candidate
	for i, e := range set.all {
		switch {
		case !e.serves(names, routed) || !e.reaches(addr) || slices.Contains(without, e.ID):
		case len(without) > 0 && (e.down() || s.isPaused(provider, e)):
		case e.works(s.now):
			best.offer(e, scores[i])
		default:
			spare.offer(e, scores[i])
		}
	}
	if best.egress == nil {
		best = spare
	}
	if best.egress != nil {
		best.egress.tried(s.now)
	}
	return best.egress
}

// candidate is the egress with the highest score so far.
type candidate struct {
	egress *egress
	score  float64
}

func (c *candidate) offer(e *egress, score float64) {
	if c.egress == nil || score > c.score {
		*c = candidate{e, score}
	}
}

// scoresOf returns the scores that the egresses have for an address, in their
// order. (Rule 8.2)
func (s *egressSet) scoresOf(addr netip.Addr) []float64 {
	site := sites.Of(addr)
	scores, ok := s.scores.get(site)
	if !ok {
		scores = make([]float64, len(s.all))
		for i, e := range s.all {
			scores[i] = sites.Score(addr, e.Key, e.Weight)
		}
		s.scores.put(site, scores)
	}
	return scores
}

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
	for _, h := range s.hostsOf(func(h *host) bool { return s.troubled[h.provider.key.name] }) {
		s.touch(h) // its provider may block another two (rule 7.2)
	}
}

// forgetEgress forgets an egress that was removed, once its last session has
// ended. What is worth keeping of how providers were asked by it stays, for the
// case that it comes back.
func (s *State) forgetEgress(e *egress) {
	if !e.leaving || e.tally.all() > 0 {
		return
	}
	s.remember(s.memoryOf(e))
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
	s.egresses.scores = book[netip.Prefix, []float64]{most: maxScored}
}
