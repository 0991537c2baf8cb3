package ways

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
	all        []*Way
	routes     map[string][]string // names of egresses by provider
	greylisted map[netip.Prefix]loyalty
}

// loyalty is that of a site to the egress by which it has greylisted us.
type loyalty struct {
	way   *Way
	until time.Time
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
func (s *Set) All() []*Way { return s.all }

// Replace replaces the egresses and routes, and returns those that this
// removes. They are not chosen any more, and stay until they are forgotten.
// What is known of one with the same name and ID as before stays.
func (s *Set) Replace(all egress.Egresses, routes map[string][]string) (gone []*Way) {
	gone = slices.Clone(s.all)
	for _, e := range all {
		i := slices.IndexFunc(gone, func(w *Way) bool { return w.Name == e.Name && w.ID() == e.ID() })
		if i < 0 {
			s.all = append(s.all, newWay(e, s.pace))
			continue
		}
		gone[i].Egress, gone[i].Leaving = e, false
		gone = slices.Delete(gone, i, i+1)
	}
	s.routes = routes
	return slices.DeleteFunc(gone, func(w *Way) bool {
		before := w.Leaving
		w.Leaving = true
		return before
	})
}

// Forget forgets an egress that was removed.
func (s *Set) Forget(w *Way) {
	for site, l := range s.greylisted {
		if l.way == w {
			delete(s.greylisted, site)
		}
	}
	s.all = slices.DeleteFunc(s.all, func(v *Way) bool { return v == w })
}

// Serving returns the egresses by which a provider may be asked.
func (s *Set) Serving(provider string) []*Way {
	names, routed := s.routes[provider]
	if !routed {
		names, routed = s.routes[DefaultRoute]
	}
	return keep(s.all, func(w *Way) bool { return !w.Leaving && (!routed || slices.Contains(names, w.Name)) })
}

// Only returns the egress where there is no choice; nil: there is one.
func (s *Set) Only() *Way {
	if len(s.all) != 1 || s.routes != nil {
		return nil
	}
	return s.all[0]
}

// Choose returns the egress by which an address of a provider is asked; nil:
// none leads there. If it could not be asked by those in without, it returns
// one that works and by which the provider is not paused; nil: there is none.
func (s *Set) Choose(provider string, addr netip.Addr, without []*Way, paused func(*Way) bool, now time.Time) *Way {
	may := keep(s.Serving(provider), func(w *Way) bool { return w.Reaches(addr) && !slices.Contains(without, w) })
	if len(without) > 0 {
		may = keep(may, func(w *Way) bool { return !w.Down() && !paused(w) })
	} else {
		may = prefer(may, func(w *Way) bool { return w.works(now) })
	}
	if l, ok := s.greylisted[egress.Site(addr)]; ok && now.Before(l.until) && slices.Contains(may, l.way) {
		return l.way
	}
	if len(may) == 0 {
		return nil
	}
	best := slices.MaxFunc(may, func(a, b *Way) int { return cmp.Compare(a.Score(addr), b.Score(addr)) })
	best.tried(now)
	return best
}

// Greylisted notes that a site has greylisted us by an egress.
func (s *Set) Greylisted(w *Way, addr netip.Addr, now time.Time) {
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
	s.greylisted[egress.Site(addr)] = loyalty{w, now.Add(greylistLasts)}
}

// keep returns those for which ok is true.
func keep(all []*Way, ok func(*Way) bool) []*Way {
	return slices.DeleteFunc(slices.Clone(all), func(w *Way) bool { return !ok(w) })
}

// prefer returns those for which ok is true, or all if it is true for none.
func prefer(all []*Way, ok func(*Way) bool) []*Way {
	if some := keep(all, ok); len(some) > 0 {
		return some
	}
	return all
}
