package schedule

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestForgottenProvider sees that a mail host which is remembered for longer
// than its provider has none until it is asked again: its sessions would not
// count with those of other hosts.
func TestForgottenProvider(t *testing.T) {
	s := withEgresses(nil, "a")
	ask := func(i int) {
		s.host(&Job{
			Addr:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 25),
			Provider: pace.Table{Provider: fmt.Sprintf("p%d.example", i)},
		}, s.egresses.all[0]).provider.Named(1, s.now)
	}
	for i := range 2 * maxHosts {
		if ask(i); i == 2*maxHosts-10 {
			s.now = s.now.Add(2 * time.Hour)
		}
	}
	s.sweepProviders()
	without := 0
	for _, h := range s.hosts {
		if h.provider == nil {
			without++
		} else if s.providers[h.provider.key] != h.provider {
			t.Fatal("a mail host has a provider that was forgotten")
		}
	}
	if without == 0 {
		t.Error("no provider was forgotten before its mail host")
	}
}

// TestHostsAreForgotten sees that a list of any number of mail hosts and
// providers takes a bounded part of the memory, and that room is made by what
// is not needed now: neither hosts in use are, nor their providers.
func TestHostsAreForgotten(t *testing.T) {
	s := withEgresses(nil, "a")
	hostOf := func(i int) *host {
		return s.host(&Job{
			Addr:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 25),
			Provider: pace.Table{Provider: fmt.Sprintf("p%d.example", i)},
		}, s.egresses.all[0])
	}
	used := map[int]*host{}
	hosts, providers := 0, 0
	for i := range 3 * maxHosts {
		if i%1000 == 0 {
			s.now = s.now.Add(20 * time.Minute)
		}
		h := hostOf(i)
		h.provider.Named(1, s.now)
		hosts, providers = max(hosts, len(s.hosts)), max(providers, len(s.providers))
		switch i % 1000 {
		case 1:
			h.sessions = []*session{{}}
		case 2:
			h.underWay = 1
		case 3:
			h.queue.lineUp(&job{host: h})
		case 4:
			h.held.append(&job{host: h})
		case 5:
			h.touched = true
		case 6:
			h.inTurn[list] = true
		default:
			continue
		}
		used[i] = h
	}
	if hosts > 2*maxHosts || providers > 2*maxProviderNotes {
		t.Errorf("%d mail hosts and %d providers were remembered at a time", hosts, providers)
	}
	for i, h := range used {
		if g := h.provider; hostOf(i) != h || s.providers[g.key] != g {
			t.Fatalf("host %d, or its provider, was forgotten", i)
		}
	}
}

// TestLinesAreForgotten sees that a host that is never without jobs keeps no
// more lines than it needs.
func TestLinesAreForgotten(t *testing.T) {
	h := &host{provider: &provider{}}
	for i := range 100_000 {
		for _, domain := range []string{fmt.Sprintf("d%d.example", i), "giant.example"} {
			h.queue.lineUp(&job{Job: Job{Domain: domain}, host: h})
		}
		for h.queue.len() > 50 {
			h.queue.serve(h.queue.first())
		}
		if r := &h.queue.ranks[single]; len(h.queue.lined) > 1000 || len(r.turns) > 1000 {
			t.Fatalf("%d jobs wait, of %d lines in %d turns", h.queue.len(), len(h.queue.lined), len(r.turns))
		}
	}
}

// TestBooksAreBounded sees that a book keeps what was looked up last.
func TestBooksAreBounded(t *testing.T) {
	b := book[int, int]{most: 100}
	for i := range 1000 {
		b.put(i, i)
		if v, ok := b.get(0); !ok || v != 0 {
			t.Fatal("what is looked up is forgotten")
		}
	}
	if n := len(b.young) + len(b.old); n > 101 {
		t.Errorf("%d are kept", n)
	}
	if _, ok := b.get(999); !ok {
		t.Error("the last one is forgotten")
	}
}

// TestLongControlsAreNotKept sees that the book of domains holds no long
// replies: it may have very many.
func TestLongControlsAreNotKept(t *testing.T) {
	s := withEgresses(nil, "a")
	text := func(lines, length int) *smtp.Reply {
		r := &smtp.Reply{Code: 250}
		for range lines {
			r.Lines = append(r.Lines, strings.Repeat("x", length))
		}
		return r
	}
	for i, tt := range []struct {
		reply, behind *smtp.Reply
		kept          bool
	}{
		{text(1, 100), nil, true}, {text(maxKeptLines, maxKeptText), text(1, 1), true}, {text(1, 2000), nil, false},
		{text(100, 0), nil, false}, {text(1, 1), text(1, 2000), false}, {text(1, 1), text(100, 0), false},
	} {
		h := &host{key: hostKey{addr: netip.AddrPortFrom(siteAddr(i), 25)}}
		heard := belief.Heard{Said: belief.Said{Reply: tt.reply}, Domain: "a.example", Behind: tt.behind}
		s.noteControl(h, &heard)
		j := &job{Job: Job{Domain: "a.example", Control: "random@a.example"}, host: h}
		if s.controlFor(j); (j.control != nil) != tt.kept {
			t.Errorf("%d: kept %+v", i, j.control)
		}
		if tt.kept && (fmt.Sprint(*j.control.Reply) != fmt.Sprint(*tt.reply) || (j.control.Behind != nil) != (tt.behind != nil)) {
			t.Errorf("%d: kept as %+v", i, j.control)
		}
	}
	s.now = start.Add(controlLasts + 1)
	j := &job{Job: Job{Domain: "a.example", Control: "random@a.example"}, host: &host{key: hostKey{addr: netip.AddrPortFrom(siteAddr(0), 25)}}}
	if s.controlFor(j); j.control != nil {
		t.Error("believed after ten minutes")
	}
}

// TestOneHour sees that what a host has shown is believed for an hour from the
// first of it, and whom it accepts until nobody was named to it for an hour,
// whatever else happens meanwhile.
func TestOneHour(t *testing.T) {
	s := withEgresses(nil, "a")
	at := func(now time.Time) *host {
		s.now = now
		return s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(1), 25)}, s.egresses.all[0])
	}
	for minute := range 60 { // a busy host
		now := start.Add(time.Duration(minute) * time.Minute)
		h := at(now)
		h.trust(now, "550 5.1.1")
		if h.proofs.hears(nil, 1, now); minute == 0 {
			s.noteAccepted(h, "good@bücher.example") // which only SMTPUTF8 could name
			if h.proofs.accepts() {
				t.Errorf("it accepts %v", h.proofs.accepted)
			}
			s.noteAccepted(h, "good@a.example")
		}
	}
	if h := at(start.Add(limitsLast)); !h.shown["550 5.1.1"] {
		t.Error("what it has shown is forgotten too early")
	}
	if h := at(start.Add(limitsLast + 1)); h.shown != nil {
		t.Errorf("it has shown %v", h.shown)
	}
	last := start.Add(59 * time.Minute)
	if h := at(last.Add(limitsLast)); !h.proofs.accepts() {
		t.Error("whom it accepts is forgotten too early")
	}
	if h := at(last.Add(limitsLast + 1)); h.proofs.accepts() || h.proofs.heard > 0 {
		t.Errorf("it accepts %v, and has heard of %d", h.proofs.accepted, h.proofs.heard)
	}
}

// TestMemoryOfEgressesIsBounded has egresses come and go, by each of which a
// provider is paused, when the memory of an earlier plan is full.
func TestMemoryOfEgressesIsBounded(t *testing.T) {
	c := testConfig()
	for i := range maxProviderNotes {
		c.Memory = append(c.Memory, pace.Memory{Provider: fmt.Sprintf("p%d.example", i)})
	}
	s := New(c, []Egress{{ID: 1, Key: "1", Name: "1", Weight: 1}}, nil)
	for i := range 100 {
		key := providerKey{"a.example", s.egresses.all[0]}
		g := s.newProvider(key, pace.Table{Provider: key.name})
		g.Remember(pace.Memory{PausedUntil: start.Add(time.Hour)})
		s.providers[key] = g
		next := fmt.Sprint(i + 2)
		s.Handle(start, SetEgresses{All: []Egress{{ID: EgressID(i + 2), Key: next, Name: next, Weight: 1}}})
	}
	if n := len(s.memory); n > maxProviderNotes {
		t.Errorf("%d notes are kept, more than %d", n, maxProviderNotes)
	}
}
