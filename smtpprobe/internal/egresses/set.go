package egresses

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// DefaultRoute is the route of the providers that have none of their own.
const DefaultRoute = "default"

// Bounds on what is remembered of sites.
const (
	// greylistLasts is how long a site that has greylisted us is asked by the
	// same egress: most hosts forget a client that does not come back in a day
	// or two.
	greylistLasts = 24 * time.Hour
	maxGreylisted = 10_000
)

// Set is the egresses of a pool.
type Set struct {
	pace       pace.Settings
	all        []*Egress
	routes     map[string][]string // names of egresses by provider
	greylisted map[netip.Prefix]loyalty
}

// loyalty is that of a site to the egress by which it has greylisted us.
type loyalty struct {
	egress *Egress
	until  time.Time
}

// NewSet returns a set of egresses. Routes has, by the name of a provider or
// [DefaultRoute], the names of those by which it is asked; nil: all. The
// settings have their defaults in place.
func NewSet(all egress.Egresses, routes map[string][]string, settings pace.Settings) *Set {
	s := &Set{pace: settings, greylisted: make(map[netip.Prefix]loyalty)}
	s.Replace(all, routes)
	return s
}

// All returns the egresses, with those that were removed and are not yet
// forgotten.
func (s *Set) All() []*Egress { return s.all }

// Replace replaces the egresses and routes, and returns those that this
// removes. They are not chosen any more, and stay until they are forgotten.
// What is known of one with the same name and ID as before stays.
func (s *Set) Replace(all egress.Egresses, routes map[string][]string) (gone []*Egress) {
	gone = slices.Clone(s.all)
	for _, now := range all {
		i := slices.IndexFunc(gone, func(e *Egress) bool { return e.Name == now.Name && e.ID() == now.ID() })
		if i < 0 {
			s.all = append(s.all, newEgress(now, s.pace))
			continue
		}
		gone[i].Egress, gone[i].Leaving = now, false
		gone = slices.Delete(gone, i, i+1)
	}
	s.routes = routes
	return slices.DeleteFunc(gone, func(e *Egress) bool {
		before := e.Leaving
		e.Leaving = true
		return before
	})
}

// Forget forgets an egress that was removed.
func (s *Set) Forget(e *Egress) {
	for site, l := range s.greylisted {
		if l.egress == e {
			delete(s.greylisted, site)
		}
	}
	s.all = slices.DeleteFunc(s.all, func(other *Egress) bool { return other == e })
}

// Serving returns the egresses by which a provider may be asked.
func (s *Set) Serving(provider string) []*Egress {
	names, routed := s.routes[provider]
	if !routed {
		names, routed = s.routes[DefaultRoute]
	}
	return keep(s.all, func(e *Egress) bool { return !e.Leaving && (!routed || slices.Contains(names, e.Name)) })
}

// Only returns the egress where there is no choice; nil: there is one.
func (s *Set) Only() *Egress {
	if len(s.all) != 1 || s.routes != nil {
		return nil
	}
	return s.all[0]
}

// Choose returns the egress by which an address of a provider is asked; nil:
// none leads there. If it could not be asked by those in without, it returns
// one that works and by which the provider is not paused; nil: there is none.
func (s *Set) Choose(
	provider string, addr netip.Addr, without []*Egress, paused func(*Egress) bool, now time.Time,
) *Egress {
	may := keep(s.Serving(provider), func(e *Egress) bool { return e.Reaches(addr) && !slices.Contains(without, e) })
	if len(without) > 0 {
		may = keep(may, func(e *Egress) bool { return !e.Down() && !paused(e) })
	} else {
		may = prefer(may, func(e *Egress) bool { return e.works(now) })
	}
	if l, ok := s.greylisted[egress.Site(addr)]; ok && now.Before(l.until) && slices.Contains(may, l.egress) {
		return l.egress
	}
	if len(may) == 0 {
		return nil
	}
	best := slices.MaxFunc(may, func(a, b *Egress) int { return cmp.Compare(a.Score(addr), b.Score(addr)) })
	best.tried(now)
	return best
}

// Greylisted notes that a site has greylisted us by an egress.
func (s *Set) Greylisted(e *Egress, addr netip.Addr, now time.Time) {
	if len(s.all) == 1 {
		return
	}
	if len(s.greylisted) >= maxGreylisted {
		n := 0
		for site, l := range s.greylisted {
			if n++; n%2 == 0 || now.After(l.until) {
				delete(s.greylisted, site)
			}
		}
	}
	s.greylisted[egress.Site(addr)] = loyalty{e, now.Add(greylistLasts)}
}

// keep returns those for which ok is true.
func keep(all []*Egress, ok func(*Egress) bool) []*Egress {
	return slices.DeleteFunc(slices.Clone(all), func(e *Egress) bool { return !ok(e) })
}

// prefer returns those for which ok is true, or all if it is true for none.
func prefer(all []*Egress, ok func(*Egress) bool) []*Egress {
	if some := keep(all, ok); len(some) > 0 {
		return some
	}
	return all
}
