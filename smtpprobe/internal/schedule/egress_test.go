package schedule

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// withEgresses is a plan with egresses by name. Their numbers count from one.
func withEgresses(routes map[string][]string, names ...string) *State {
	s := New(testConfig(), named(names...), routes)
	s.Handle(start, Tick{})
	return s
}

func named(names ...string) (all []Egress) {
	for _, name := range names {
		all = append(all, Egress{ID: EgressID(name[0] - 'a' + 1), Key: name, Name: name, Weight: 1})
	}
	return all
}

// siteAddr is an address of the nth site.
func siteAddr(n int) netip.Addr { return netip.AddrFrom4([4]byte{9, byte(n >> 8), byte(n), 1}) }

// choices is how many of 1,000 sites each egress has.
func choices(s *State, provider string) map[string]int {
	n := map[string]int{}
	for i := range 1000 {
		name := "none"
		if e := s.choose(provider, siteAddr(i), nil); e != nil {
			name = e.Name
		}
		n[name]++
	}
	return n
}

var (
	noRoute = NotOpened{Failure: smtp.KindEgress, Phase: smtp.PhaseConnect, Text: "no route"}
	noReply = NotOpened{Failure: smtp.KindTimeout, Phase: smtp.PhaseConnect}
)

// fails has an egress fail by itself n times.
func fails(s *State, e *egress, n int) {
	for range n {
		s.hears(e, netip.AddrPort{}, false, &noRoute)
	}
}

// TestRoutes sees which egresses have the sites of a provider, and how many.
func TestRoutes(t *testing.T) {
	s := withEgresses(map[string][]string{"giant": {"a"}, "nowhere": {"d"}, defaultRoute: {"b", "c"}}, "a", "b", "c")
	if n := choices(s, "giant"); n["a"] != 1000 {
		t.Errorf("the giant's sites: %v, want all by a", n)
	}
	if n := choices(s, "nowhere"); n["none"] != 1000 {
		t.Errorf("those of a route by none that there is: %v", n)
	}
	if n := choices(s, "another"); n["b"] < 400 || n["c"] < 400 || n["b"]+n["c"] != 1000 {
		t.Errorf("another's sites: %v, want half by b, half by c", n)
	}
	s.egresses.all[1].Only6, s.egresses.all[2].Weight = true, 3
	if n := choices(s, "another"); n["c"] != 1000 {
		t.Errorf("where b reaches no IPv4: %v", n)
	}
	if e := s.choose("another", netip.MustParseAddr("2001:db8::1"), nil); e == nil {
		t.Error("nobody reaches IPv6")
	}
}

// TestEgressThatIsDown sees that one which failed three times is not chosen,
// but once each half minute, until a host greets us by it.
func TestEgressThatIsDown(t *testing.T) {
	s := withEgresses(nil, "a", "b")
	a := s.egresses.all[0]
	if n := choices(s, "p"); n["a"] < 400 || n["b"] < 400 {
		t.Errorf("of 1,000 sites: %v", n)
	}
	if fails(s, a, downAfter-1); a.down() {
		t.Error("down too early")
	}
	if fails(s, a, 1); !a.down() || a.faultNow() != "no route" {
		t.Errorf("not down: %q", a.faultNow())
	}
	if n := choices(s, "p"); n["b"] != 1000 {
		t.Errorf("while a is down: %v, want all by b", n)
	}
	s.Handle(start.Add(downLasts), Tick{})
	if n := choices(s, "p"); n["a"] != 1 {
		t.Errorf("half a minute later: %v, want one site by a", n)
	}
	if s.hears(a, netip.AddrPort{}, true, nil); a.down() || a.faultNow() != "" || !a.lastReply.Equal(s.now) {
		t.Errorf("down although a host has greeted us: %q, last reply %v", a.faultNow(), a.lastReply)
	}
	if n := choices(s, "p"); n["a"] < 400 {
		t.Errorf("when it works again: %v", n)
	}
}

// TestSilentHosts sees that an egress is down by which ten hosts in a row were
// out of reach, and that one is tried where all are down.
func TestSilentHosts(t *testing.T) {
	s := withEgresses(nil, "a", "b")
	for _, e := range s.egresses.all {
		for i := range silentHosts {
			for range 3 { // one host counts once
				s.hears(e, netip.AddrPortFrom(siteAddr(i), 25), false, &noReply)
			}
			if down := i == silentHosts-1; e.down() != down || (e.faultNow() != "") != down {
				t.Errorf("%d silent hosts: down is %t, %q", i+1, e.down(), e.faultNow())
			}
		}
	}
	if n := choices(s, "p"); n["none"] > 0 {
		t.Errorf("where all are down: %v", n)
	}
	if e := s.choose("p", siteAddr(0), []EgressID{1}); e != nil {
		t.Errorf("in the place of one that failed, %s is chosen, which is down", e.Name)
	}
}

// TestGreylistedSite sees that a site which has greylisted us is asked by the
// same egress for a day, and that so many are remembered.
func TestGreylistedSite(t *testing.T) {
	s, usual := withEgresses(nil, "a", "b", "c"), withEgresses(nil, "a", "b", "c")
	for i, e := range s.egresses.all {
		s.Handle(start, Tick{})
		s.greylisted(hostKey{netip.AddrPortFrom(siteAddr(i), 25), e})
		s.Handle(start.Add(greylistLasts-1), Tick{})
		if got := s.choose("p", siteAddr(i).Next(), nil); got != e {
			t.Errorf("site %d is asked by %s within a day, want %s", i, got.Name, e.Name)
		}
		s.Handle(start.Add(greylistLasts), Tick{})
		if got, want := s.choose("p", siteAddr(i), nil), usual.choose("p", siteAddr(i), nil); got.Name != want.Name {
			t.Errorf("site %d is asked by %s after a day, want %s", i, got.Name, want.Name)
		}
	}
	for i := range 2 * maxGreylisted {
		s.greylisted(hostKey{netip.AddrPortFrom(siteAddr(i), 25), s.egresses.all[0]})
	}
	if n := len(s.egresses.loyal.young) + len(s.egresses.loyal.old); n > maxGreylisted {
		t.Errorf("%d sites are remembered", n)
	}
}

// TestReplacedEgresses sees what is kept of those that stay, and forgotten of
// those that go.
func TestReplacedEgresses(t *testing.T) {
	s := withEgresses(nil, "a", "b")
	a, b := s.egresses.all[0], s.egresses.all[1]
	fails(s, a, downAfter)
	for i := range 100 { // hosts of both
		s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(i), 25), Provider: pace.Table{Provider: "p"}}, s.egresses.all[i%2])
	}
	b.tally[single][busy]++ // it has a session
	now := append(named("a"), named("c")...)
	now[0].Only6 = true
	removed := func() (names []string) {
		for _, action := range s.Handle(s.now, SetEgresses{All: now}) {
			names = append(names, fmt.Sprintf("%s %t %d", action.News.Egress, action.News.Removed, action.News.Sessions))
		}
		return names
	}
	if gone := removed(); !slices.Equal(gone, []string{"b true 1"}) || !a.down() || !a.Only6 {
		t.Errorf("gone: %v; a is down: %t, only IPv6: %t", gone, a.down(), a.Only6)
	}
	if again := removed(); again != nil {
		t.Errorf("removed twice: %v", again)
	}
	if n := choices(s, "p"); n["c"] != 1000 {
		t.Errorf("%v, want all by c: a is down, and b was removed", n)
	}
	b.tally[single][busy]--
	s.forgetEgress(b)
	if hosts, providers := len(s.hosts), len(s.providers); len(s.egresses.all) != 2 || hosts != 50 || providers != 1 {
		t.Errorf("%d egresses, %d hosts, %d providers are left", len(s.egresses.all), hosts, providers)
	}
	for key := range s.hosts {
		if key.egress != a {
			t.Fatalf("a host by %s is left", key.egress.Name)
		}
	}
}

// TestBlockedEgressesAreAdded sees that those who wait for a provider are told
// that it is paused when egresses come back that it blocks.
func TestBlockedEgressesAreAdded(t *testing.T) {
	c := testConfig()
	for _, name := range []string{"b", "c"} {
		c.Memory = append(c.Memory, pace.Memory{Provider: "p", Egress: name, PausedUntil: start.Add(time.Hour)})
	}
	c.MaxSessions = 1
	s := New(c, named("a"), nil)
	for i := range 2 { // the second waits for the only session
		s.Handle(start, Arrive{Jobs: []Job{{
			ID: JobID(i), Addr: netip.AddrPortFrom(siteAddr(i), 25), Provider: pace.Table{Provider: "p"}, Target: "a@a.example",
		}}})
	}
	actions := s.Handle(start, SetEgresses{All: named("a", "b", "c")})
	if !slices.ContainsFunc(actions, func(a Action) bool { return a.Do == Answer && a.Job == 1 && a.Result == Paused }) {
		t.Errorf("it did %+v", actions)
	}
}

// TestPauses sees that a provider which blocks one egress is asked by another,
// and by none while it blocks two.
func TestPauses(t *testing.T) {
	c := testConfig()
	c.Memory = []pace.Memory{{Provider: "p", Egress: "a", PausedUntil: start.Add(time.Hour)}}
	s := New(c, named("a", "b", "c"), nil)
	s.Handle(start, Tick{})
	addr := netip.MustParseAddr("192.0.2.1")
	without := []EgressID{99}
	if e := s.choose("p", addr, without); e == nil || e.Name == "a" {
		t.Errorf("asked by %v although that is paused", e)
	}
	s.memory[memoryKey{"p", "b"}] = pace.Memory{Provider: "p", Egress: "b", PausedUntil: start.Add(time.Minute)}
	if e := s.choose("p", addr, without); e != nil {
		t.Errorf("asked by %s although two are paused", e.Name)
	}
	if until := s.spread("p"); until != start.Add(time.Minute) {
		t.Errorf("paused by all until %v", until)
	}
	s.Handle(start.Add(time.Minute), Tick{})
	if e := s.choose("p", addr, without); e == nil || e.Name == "a" {
		t.Errorf("asked by %v a minute later", e)
	}
}
