package pace

import (
	"testing"
	"time"
)

// TestReactions plays one kind of complaint after another, a minute apart from
// each other, and checks what each leads to.
func TestReactions(t *testing.T) {
	limits := Limits{
		Sessions: 10, RefusedPause: 2 * time.Hour, DeferredPause: time.Hour, ThrottledPause: 30 * time.Minute, SlowFor: 15 * time.Minute,
	}
	calm := limits
	calm.ThrottledPause = 0 // as for unknown providers: none
	blocked := func(code int) func(*Provider, time.Time, int) {
		return func(p *Provider, now time.Time, i int) { p.Blocked(domain(i), true, code, now) }
	}
	tooFast := func(p *Provider, now time.Time, _ int) { p.RateLimited(now, now) }
	for _, tt := range []struct {
		name   string
		limits Limits
		say    func(*Provider, time.Time, int)
		times  int
		pause  time.Duration
		why    Trouble
	}{
		{"refused in four domains", limits, blocked(554), 4, 0, ""},
		{"refused in five domains", limits, blocked(554), 5, 2 * time.Hour, Blocked},
		{"put off in five domains", limits, blocked(421), 5, time.Hour, Blocked},
		{"too fast twice", limits, tooFast, 2, 0, ""},
		{"too fast three times", limits, tooFast, 3, 30 * time.Minute, RateLimited},
		{"too fast three times, at one that is only asked more slowly", calm, tooFast, 30, 0, ""},
	} {
		p, now := newProvider(tt.limits, Settings{}), start
		for i := range tt.times {
			now = now.Add(time.Minute)
			tt.say(p, now, i)
		}
		until, paused := p.Paused(now)
		if s := p.State(now); paused != (tt.pause > 0) || paused && until.Sub(now) != tt.pause || s.Paused != tt.why {
			t.Errorf("%s: paused %t for %v as %q, want %v as %q", tt.name, paused, until.Sub(now), s.Paused, tt.pause, tt.why)
		}
	}
}

// TestThrottledPauses checks that complaints count as such within an hour, that
// those of sessions which began before the last one are the same, that pauses
// double until there is an answer, and that each needs three complaints.
func TestThrottledPauses(t *testing.T) {
	limits := Limits{Sessions: 10, ThrottledPause: 10 * time.Minute}
	p, now := newProvider(limits, Settings{}), start
	paused := func(at time.Time) bool { _, ok := p.Paused(at); return ok }
	for range 10 { // forty minutes apart
		now = now.Add(40 * time.Minute)
		if p.RateLimited(now, now); paused(now) {
			t.Fatal("paused after two complaints in an hour")
		}
	}
	now = now.Add(2 * time.Hour)
	for range 10 { // sessions that were open together
		now = now.Add(time.Second)
		if p.RateLimited(start, now); paused(now) {
			t.Fatal("paused after what is one complaint")
		}
	}
	for _, want := range []time.Duration{10 * time.Minute, 20 * time.Minute} {
		for i := range 3 {
			if paused(now) {
				t.Fatalf("paused after %d complaints", i)
			}
			now = now.Add(time.Minute)
			p.RateLimited(now, now)
		}
		until, ok := p.Paused(now)
		if !ok || until.Sub(now) != want {
			t.Fatalf("paused %t for %v, want %v", ok, until.Sub(now), want)
		}
		if p.RateLimited(now, now.Add(time.Minute)); p.until != until {
			t.Error("a complaint during the pause makes it longer")
		}
		if now = until; p.Allowed(now) != 1 {
			t.Errorf("%d sessions after the pause", p.Allowed(now))
		}
	}
	m, _ := p.Memory(now.Add(-time.Second))
	again := newProvider(limits, Settings{})
	again.Remember(m)
	if got := again.State(now.Add(-time.Second)).Paused; got != RateLimited {
		t.Errorf("after a restart it is paused as %q", got)
	}
}

// TestSlowFor checks that sessions come back one by one, at the pace of the
// provider.
func TestSlowFor(t *testing.T) {
	p, now := newProvider(Limits{Sessions: 10, SlowFor: 30 * time.Minute}, Settings{}), start
	for range 6 {
		p.Opened(now)
	}
	p.RateLimited(now, now)
	for minutes, want := range map[int]int{0: 3, 29: 3, 30: 4, 59: 4, 60: 5, 61: 10} {
		if got := p.Allowed(now.Add(time.Duration(minutes) * time.Minute)); got != want {
			t.Errorf("after %d minutes %d sessions, want %d", minutes, got, want)
		}
	}
}
