package schedule

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestNameOfAProvider sees that a host is its provider's as soon as a job has
// that name while no session is open, and stays that.
func TestNameOfAProvider(t *testing.T) {
	s := withEgresses(nil, "a")
	known := pace.Table{Provider: "giant", Known: true, Limits: pace.Limits{Sessions: 5}}
	var h *host
	for i, tt := range []struct {
		as       pace.Table
		sessions int // of the host
		want     string
	}{
		{pace.Table{Provider: "customer.example"}, 0, "customer.example"},
		{pace.Table{Provider: "other.example"}, 0, "customer.example"},
		{known, 1, "customer.example"},
		{known, 0, "giant"},
		{pace.Table{Provider: "customer.example"}, 0, "giant"},
		{pace.Table{Provider: "another giant", Known: true}, 0, "giant"},
	} {
		if h != nil {
			h.sessions = make([]*session, tt.sessions)
		}
		h = s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(1), 25), Provider: tt.as}, s.egresses.all[0])
		if i == 0 {
			for range 7 {
				h.queue.lineUp(&job{host: h})
			}
		}
		if got := h.provider; got.key.name != tt.want || got.waiting != 7 {
			t.Errorf("%d: it is of %s, for which %d jobs wait", i, got.key.name, got.waiting)
		}
	}
	for _, g := range s.providers {
		if g != h.provider && g.waiting != 0 {
			t.Errorf("%d jobs wait for %s", g.waiting, g.key.name)
		}
	}
	strict := s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(2), 25), Provider: known}, s.egresses.all[0])
	if first, usual := strict.limits.sessions.size(start), h.limits.sessions.size(start); first != 2 || usual != 4 {
		t.Errorf("%d sessions at first with a strict provider, %d with another", first, usual)
	}
	if at, alone := strict.provider.Allowed(start), h.provider.Allowed(start); at != 5 || alone != 5 {
		t.Errorf("%d and %d sessions are allowed", at, alone)
	}
}

// TestBlocksOfEgresses sees that a provider which blocks one egress is asked by
// the others, that one which blocks two is by none, and that a later plan knows
// of it.
func TestBlocksOfEgresses(t *testing.T) {
	s := withEgresses(nil, "a", "b", "c")
	var all []*provider
	for i, e := range s.egresses.all {
		h := s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(i), 25), Provider: pace.Table{Provider: "p"}}, e)
		all = append(all, h.provider)
	}
	blocks := func(g *provider) (told []string) {
		s.actions = nil
		h := s.hosts[g.first]
		for i := range 5 { // domains make a pause
			s.note(&session{host: h}, said{fmt.Sprintf("d%d.example", i), replies.ClassBlocked, 550, "5.7.1", true})
			s.noted(g)
		}
		for _, a := range s.actions {
			told = append(told, a.News.Egress)
		}
		return told
	}
	paused := func() (names string) {
		for _, g := range all {
			if _, ok := s.pausedUntil(g); ok {
				names += g.key.egress.Name
			}
		}
		return names
	}
	if told := blocks(all[0]); !slices.Equal(told, []string{"a"}) || paused() != "a" {
		t.Errorf("one blocks: told of %v, paused %q", told, paused())
	}
	s.now = start.Add(time.Minute)
	told := blocks(all[1])
	if slices.Sort(told); !slices.Equal(told, []string{"b", "c"}) || paused() != "abc" {
		t.Errorf("two block: told of %v, paused %q", told, paused())
	}
	if a := s.pause(all[2]); a.Result != Paused || a.Retry != 4*time.Minute {
		t.Errorf("the third answers %+v", a)
	}
	for _, m := range s.Memory(s.now) {
		if want := start.Add(5 * time.Minute); m.Egress != "b" && !m.PausedUntil.Equal(want) || m.Paused != pace.Blocked {
			t.Errorf("kept of %s: %+v", m.Egress, m)
		}
	}
	later := New(Config{Memory: s.Memory(s.now), Pace: s.config.Pace}, named("a", "b", "c"), nil)
	later.Handle(s.now, Tick{})
	if until := later.spread("p"); !until.Equal(start.Add(5 * time.Minute)) {
		t.Errorf("a later plan knows of pauses until %v", until)
	}
	for minute, want := range []string{5: "b", 6: ""} {
		if s.now = start.Add(time.Duration(minute) * time.Minute); minute >= 5 && paused() != want {
			t.Errorf("after %d minutes: paused %q, want %q", minute, paused(), want)
		}
	}
	if len(s.troubled) > 0 {
		t.Errorf("in trouble: %v", s.troubled)
	}
	s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(9), 25), Provider: pace.Table{Provider: "q"}}, s.egresses.all[1]).provider.waiting = 3
	var order string
	for _, g := range s.Pacing(s.now) {
		order += g.Provider + g.Egress + " "
	}
	if order != "qb pa pb pc " {
		t.Errorf("in the order %s", order)
	}
}

// TestSlowed sees what those are told who wait for a provider that found us too
// fast.
func TestSlowed(t *testing.T) {
	s := withEgresses(nil, "a")
	table := pace.Table{Provider: "p", Known: true, Limits: pace.Limits{ThrottledPause: 30 * time.Minute}}
	h := s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(1), 25), Provider: table}, s.egresses.all[0])
	for i := range 3 {
		s.now = start.Add(time.Duration(i) * time.Minute)
		s.note(&session{host: h, began: s.now}, said{"d.example", replies.ClassRateLimited, 451, "4.7.0", false})
	}
	if a := s.pause(h.provider); a.Result != Slowed || a.Retry != 30*time.Minute {
		t.Errorf("told %+v", a)
	}
}

// TestOneTooMany sees when a session that could not be opened may have been one
// more than the host takes, or its provider.
func TestOneTooMany(t *testing.T) {
	refused := func(class replies.Class) []Early { return []Early{{Class: class}} }
	for _, tt := range []struct {
		name              string
		e                 NotOpened
		opening, open     int // sessions with the host, this one included
		elsewhere         int // with the provider
		since             time.Duration
		others            int
		atItsLimit, works bool // works: the extension did before
	}{
		{"the first", NotOpened{}, 1, 0, 0, time.Hour, 0, false, false},
		{"beside others", NotOpened{}, 2, 3, 0, time.Hour, 4, false, false},
		{"soon after another", NotOpened{}, 1, 0, 0, atLimitLasts - 1, 0, true, false},
		{"later", NotOpened{}, 1, 0, 0, atLimitLasts, 0, false, false},
		{"unanswered, beside others", NotOpened{Failure: smtp.KindTimeout}, 2, 3, 0, time.Hour, 3, false, false},
		{"our own fault, soon after", NotOpened{Failure: smtp.KindEgress}, 1, 0, 0, time.Second, 0, false, false},
		{"a trial that fails", NotOpened{Trial: startTLS}, 2, 3, 0, time.Second, 0, false, false},
		{"a trial that has worked", NotOpened{Trial: startTLS}, 2, 3, 0, time.Second, 4, true, true},
		{"too many for the provider", NotOpened{Said: refused(replies.ClassRateLimited)}, 1, 0, 1, time.Hour, 0, true, false},
		{"too many, and there are none", NotOpened{Said: refused(replies.ClassRateLimited)}, 1, 0, 0, time.Hour, 0, false, false},
		{"blocked", NotOpened{Said: refused(replies.ClassBlocked)}, 1, 0, 1, time.Hour, 0, false, false},
	} {
		s := withEgresses(nil, "a")
		h := s.host(&Job{Addr: netip.AddrPortFrom(siteAddr(1), 25), Provider: pace.Table{Provider: "p"}}, s.egresses.all[0])
		h.tally[list][opening], h.tally[list][busy] = tt.opening, tt.open
		h.provider.tally[list][opening] = tt.opening + tt.elsewhere
		h.wellAt = start.Add(-tt.since)
		if tt.works {
			h.trials.pass(startTLS, start)
		}
		others, atItsLimit := s.othersThan(&session{host: h}, &tt.e)
		if others != tt.others || atItsLimit != tt.atItsLimit {
			t.Errorf("%s: %d others, at its limit: %t", tt.name, others, atItsLimit)
		}
	}
}

// TestRepeatedAreNamed sees that recipients which were named once more count
// for the provider, also where the caller gave up meanwhile. (Rule 6.1)
func TestRepeatedAreNamed(t *testing.T) {
	for _, gaveUp := range []bool{false, true} {
		c := testConfig()
		c.Pace.Unknown.RecipientsPerMinute = 10
		p := newScripted(t, c)
		open := p.only(Open, p.ask(0, nil, "good1@d0.example"))
		run := p.only(Run, p.tell(0, Opened{Session: open.Session}))
		e := p.said(run, &accepts, replies.ClassOK)
		if gaveUp {
			p.tell(0, GiveUp{Jobs: run.Targets})
		}
		e.Outcome.Repeated = 8
		p.tell(0, e)
		for _, g := range p.providers {
			if left := g.MayName(0, p.now, false); left != 0 {
				t.Errorf("gave up: %v: %d recipients may be named", gaveUp, left)
			}
		}
	}
}
