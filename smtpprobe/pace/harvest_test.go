package pace

import (
	"testing"
	"time"
)

// TestHarvesting checks the brake: it needs enough mailboxes, goes on above the
// share, stays on a while below it, and ends.
func TestHarvesting(t *testing.T) {
	p, now := newProvider(Limits{Sessions: 8}, Settings{}), start
	hear := func(n, dead int) {
		for i := range n {
			p.Mailbox(i < dead, now)
		}
	}
	for _, step := range []struct {
		n, dead int
		slow    bool
	}{
		{199, 199, false}, {1, 1, true}, {100, 0, true}, {250, 0, false}, // 200 of 300, 200 of 550
	} {
		hear(step.n, step.dead)
		s := p.State(now)
		if got := s.Slowed == Harvesting; got != step.slow || got != (s.Allowed == 2) {
			t.Fatalf("after %d more, of which %d do not exist: %+v, want slow %t", step.n, step.dead, s, step.slow)
		}
	}
	hear(2000, 2000)
	now = now.Add(11 * time.Minute)
	hear(1, 0)
	if p.State(now).Slowed != "" {
		t.Errorf("eleven minutes later: %+v", p.State(now))
	}
	off := newProvider(Limits{Sessions: 8}, Settings{Harvest: Harvest{Recipients: Unlimited}})
	for range 1000 {
		off.Mailbox(true, start)
	}
	if off.State(start).Slowed != "" {
		t.Error("the brake is off and on")
	}
}

// TestBudgets checks that a day's number doubles after a day that went well,
// halves after one that did not, and stays where a day was not used.
func TestBudgets(t *testing.T) {
	p := newProvider(Limits{}, Settings{Preset: Careful})
	use := func(days int) int {
		now, n := start.AddDate(0, 0, days), 0
		for may := p.MayName(0, now, false); may >= LeastNamed; may = p.MayName(0, now, false) {
			p.Named(min(may, 100), now)
			n += min(may, 100)
		}
		if ok, at := p.MayOpen(now, false); ok || !at.Equal(start.AddDate(0, 0, days+1).Truncate(day)) {
			t.Errorf("day %d: the next session may begin at %v", days, at)
		}
		if s := p.State(now).Slowed; s != BudgetSpent {
			t.Errorf("day %d: slowed %q", days, s)
		}
		return n
	}
	for days, want := range []int{500, 1000, 2000} {
		if got := use(days); got != want {
			t.Errorf("day %d: %d recipients, want %d", days, got, want)
		}
	}
	if got := use(5); got != 4000 {
		t.Errorf("after two days without questions: %d recipients", got)
	}
	p.RateLimited(start.AddDate(0, 0, 5), start.AddDate(0, 0, 5))
	if got := use(6); got != 2000 {
		t.Errorf("after a day with a complaint: %d recipients", got)
	}
	m, ok := p.Memory(start.AddDate(0, 0, 6))
	if !ok {
		t.Fatal("nothing is worth keeping")
	}
	again := newProvider(Limits{}, Settings{Preset: Careful})
	again.Remember(m)
	if got := again.MayName(0, start.AddDate(0, 0, 6), false); got >= LeastNamed {
		t.Errorf("after a restart %d more recipients may be named", got)
	}
	if got := again.MayName(0, start.AddDate(0, 0, 7), false); got != 4000 {
		t.Errorf("after a restart, on the next day %d", got)
	}
}

// TestHarvestingEndsLater checks that a provider which is asked slowly because
// so many mailboxes do not exist is asked as usual only when they are clearly
// fewer.
func TestHarvestingEndsLater(t *testing.T) {
	p := newProvider(Limits{Sessions: 8}, Settings{})
	hear := func(dead, alive int) {
		for i := range dead + alive {
			p.Mailbox(i < dead, start)
		}
	}
	for _, tt := range []struct {
		dead, alive int
		want        int // sessions
	}{
		{119, 80, 8},   // too few mailboxes to say
		{100, 0, 2},    // 73 %
		{0, 100, 2},    // 55 %: fewer than the threshold, and not clearly
		{0, 50, 2},     // 49 %
		{0, 20, 8},     // 47 %
		{60, 0, 8},     // 53 %
		{1000, 100, 2}, // 78 %
	} {
		if hear(tt.dead, tt.alive); p.Allowed(start) != tt.want {
			t.Errorf("after %d dead and %d more, %.2f of all dead: %d sessions, want %d",
				tt.dead, tt.alive, p.State(start).Refused, p.Allowed(start), tt.want)
		}
	}
}
