package egresses

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// noon is a time; the package asks no clock.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newSet(routes map[string][]string, names ...string) *Set {
	var all egress.Egresses
	for _, name := range names {
		all = append(all, egress.Egress{Name: name})
	}
	return NewSet(all, routes, pace.Settings{}.WithDefaults())
}

// site is an address of the nth site.
func site(n int) netip.Addr { return netip.AddrFrom4([4]byte{9, byte(n >> 8), byte(n), 1}) }

func never(*Egress) bool { return false }

// choices is how many of 1,000 sites each egress has.
func choices(s *Set, provider string, now time.Time) map[string]int {
	n := map[string]int{}
	for i := range 1000 {
		name := "none"
		if w := s.Choose(provider, site(i), nil, never, now); w != nil {
			name = w.Name
		}
		n[name]++
	}
	return n
}

// fail has an egress fail n times by itself.
func fail(w *Egress, n int) (changed bool) {
	f := &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindEgress, Text: "no route"}
	for range n {
		changed = w.Opened(netip.AddrPort{}, false, f, noon)
	}
	return changed
}

func TestRoutes(t *testing.T) {
	s := newSet(map[string][]string{"giant": {"a"}, DefaultRoute: {"b", "c"}}, "a", "b", "c")
	if n := choices(s, "giant", noon); n["a"] != 1000 {
		t.Errorf("the giant's sites: %v, want all by a", n)
	}
	if n := choices(s, "another", noon); n["b"] < 400 || n["c"] < 400 || n["b"]+n["c"] != 1000 {
		t.Errorf("another's sites: %v, want half by b, half by c", n)
	}
}

func TestDown(t *testing.T) {
	s := newSet(nil, "a", "b")
	a := s.All()[0]
	if fail(a, downAfter-1) || a.Down() {
		t.Error("down too early")
	}
	if !fail(a, 1) || !a.Down() || a.Fault() != "no route" {
		t.Errorf("not down: %q", a.Fault())
	}
	if n := choices(s, "p", noon); n["b"] != 1000 {
		t.Errorf("while a is down: %v, want all by b", n)
	}
	later := noon.Add(downLasts)
	if n := choices(s, "p", later); n["a"] != 1 {
		t.Errorf("when a may be tried again: %v, want one site by a", n)
	}
	if !a.Opened(netip.AddrPort{}, true, nil, later) || a.Down() || a.Fault() != "" || a.LastReply != later {
		t.Errorf("down although a host has greeted us: %q", a.Fault())
	}
}

func TestSilentHosts(t *testing.T) {
	s := newSet(nil, "a")
	a := s.All()[0]
	f := &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindTimeout}
	for i := range silentHosts {
		for range 3 { // one host counts once
			a.Opened(netip.AddrPortFrom(site(i), 25), false, f, noon)
		}
		if down := i == silentHosts-1; a.Down() != down {
			t.Errorf("%d silent hosts: down is %v", i+1, a.Down())
		}
	}
	if s.Choose("p", site(0), nil, never, noon) != a {
		t.Error("the only egress is not tried while it is down")
	}
}

func TestOtherEgress(t *testing.T) {
	s := newSet(nil, "a", "b", "c")
	first := s.Choose("p", site(1), nil, never, noon)
	second := s.Choose("p", site(1), []*Egress{first}, never, noon)
	if second == nil || second == first {
		t.Fatalf("second choice: %v", second)
	}
	paused := func(w *Egress) bool { return w != first && w != second }
	if w := s.Choose("p", site(1), []*Egress{first, second}, paused, noon); w != nil {
		t.Errorf("%s is chosen although the provider is paused by it", w.Name)
	}
}

func TestGreylisted(t *testing.T) {
	s := newSet(nil, "a", "b", "c")
	for i, w := range s.All() {
		s.Greylisted(w, site(i), noon)
		if got := s.Choose("p", site(i), nil, never, noon.Add(greylistLasts-1)); got != w {
			t.Errorf("site %d is asked by %s within a day, want %s", i, got.Name, w.Name)
		}
	}
	usual := newSet(nil, "a", "b", "c")
	for i := range s.All() {
		got, want := s.Choose("p", site(i), nil, never, noon.Add(greylistLasts)), usual.Choose("p", site(i), nil, never, noon)
		if got.Name != want.Name {
			t.Errorf("site %d is asked by %s after a day, want %s", i, got.Name, want.Name)
		}
	}
	for i := range 2 * maxGreylisted {
		if s.Greylisted(s.All()[0], site(i), noon); len(s.greylisted) > maxGreylisted {
			t.Fatalf("%d sites are remembered", len(s.greylisted))
		}
	}
}

func TestReplace(t *testing.T) {
	s := newSet(nil, "a", "b")
	a, b := s.All()[0], s.All()[1]
	fail(a, downAfter)
	s.Greylisted(b, site(1), noon)
	gone := s.Replace(egress.Egresses{{Name: "a", HELO: "new.example"}, {Name: "c"}}, nil)
	if len(gone) != 1 || gone[0] != b || !a.Down() || a.HELO != "new.example" {
		t.Errorf("gone: %v; a is down: %v, with HELO %q", gone, a.Down(), a.HELO)
	}
	if again := s.Replace(egress.Egresses{{Name: "a"}, {Name: "c"}}, nil); len(again) != 0 {
		t.Errorf("b was removed twice")
	}
	if n := choices(s, "p", noon); n["c"] != 1000 {
		t.Errorf("%v, want all by c: a is down, and b was removed", n)
	}
	s.Forget(b)
	if names := fmt.Sprint(len(s.All()), len(s.greylisted)); names != "2 0" {
		t.Errorf("egresses and sites after b was forgotten: %s, want 2 0", names)
	}
}
