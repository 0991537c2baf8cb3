package bulk

import (
	"slices"
	"testing"
)

// TestLargestFirst holds that domains with most to do begin first, up to their share, and that those with about as much take turns.
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
	for range few {
		p.add(&task{record: &record{}}, "small")
	}
	var order []string // of the domains, each turn once
	for range 160 {
		if domain := p.next(160).lane.domain; len(order) == 0 || order[len(order)-1] != domain {
			order = append(order, domain)
		}
	}
	if want := []string{"giant", "other giant", "giant", "small", "giant", "other giant"}; !slices.Equal(order, want) {
		t.Errorf("began with %q, want %q", order, want)
	}
}
