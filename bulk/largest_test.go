package bulk

import (
	"slices"
	"testing"
	"time"
)

// TestLargestFirst checks that domains with most to do begin first, up to their
// share, and that those with about as much take turns.
func TestLargestFirst(t *testing.T) {
	p := newPlanner(1000)
	for range 300 {
		p.add(&task{record: &record{}}, "giant")
	}
	for range 10 {
		p.add(&task{record: &record{}}, "middle")
	}
	for range 290 {
		p.add(&task{record: &record{}}, "other giant")
	}
	for range smallDomain {
		p.add(&task{record: &record{}}, "small")
	}
	scoutAhead(t, p, "giant", "other giant", "middle", "small")
	var order []string // of the domains, each turn once
	for range 160 {
		if domain := p.next(160).queue.domain; len(order) == 0 || order[len(order)-1] != domain {
			order = append(order, domain)
		}
	}
	if want := []string{"giant", "other giant", "giant", "small", "giant", "other giant"}; !slices.Equal(order, want) {
		t.Errorf("began with %q, want %q", order, want)
	}
}

// TestSmallWaitForCompany checks that a small domain waits for more of its
// addresses, but not for long, nor where nothing else is to do or nothing more
// comes.
func TestSmallWaitForCompany(t *testing.T) {
	tests := []struct {
		name    string
		large   int // addresses
		read    bool
		waited  time.Duration
		started string
	}{
		{"at first", 100, false, 0, "large"},
		{"not for long", 100, false, growthWait, "small"},
		{"all of the list is read", 100, true, 0, "small"},
		{"nothing else is to do", smallDomain + 1, false, 0, "small"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlanner(1000)
			p.growing = true
			for range tt.large {
				p.add(&task{record: &record{}}, "large")
			}
			p.add(&task{record: &record{}}, "small")
			p.found(p.next(5))
			for range smallDomain {
				p.next(5) // beyond the share of large ones
			}
			p.growing, p.now = !tt.read, tt.waited
			if got := p.next(5).queue.domain; got != tt.started {
				t.Errorf("%s begins, want %s", got, tt.started)
			}
		})
	}
}

// scoutAhead has the first address of each domain started, and holds that
// nothing else is until these have found their mail hosts.
func scoutAhead(t *testing.T, p *planner, domains ...string) {
	t.Helper()
	var scouts []*task
	var order []string
	for {
		next := p.next(160)
		if next == nil {
			break
		}
		scouts, order = append(scouts, next), append(order, next.queue.domain)
	}
	if !slices.Equal(order, domains) {
		t.Errorf("%q began before their scouts had found anything, want %q", order, domains)
	}
	for _, scout := range scouts {
		p.found(scout)
	}
}

// TestScoutIsAnswered checks that the others follow a scout that is answered
// without a mail host, too, and that the domain needs no second one.
func TestScoutIsAnswered(t *testing.T) {
	p := newPlanner(1000)
	for range 3 {
		p.add(&task{record: &record{}}, "one.example")
	}
	scout := p.next(10)
	if p.next(10) != nil {
		t.Fatal("another began together with the scout")
	}
	p.done(scout)
	for range 2 {
		if next := p.next(10); next == nil || next.scouts {
			t.Fatalf("began with %+v after the scout was answered", next)
		}
	}
}
