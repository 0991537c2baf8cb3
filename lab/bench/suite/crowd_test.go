package suite

import (
	"fmt"
	"testing"
)

// TestOperator sees that an operator with many mail hosts never has more
// sessions of us than it tolerates, and that it blocks us without limits.
func TestOperator(t *testing.T) {
	c := newCrowd(true)
	_, runs, err := c.operators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range runs {
		t.Logf("%s: %+v", name, run)
		if run.falsely > 0 {
			t.Errorf("%s: %d false undeliverable", name, run.falsely)
		}
		polite := run.world.Blocks == 0 && run.world.TurnedAway == 0 && run.world.PeakPerClient <= 10 && run.settled == c.operator.Addresses
		if polite != (name != "pace off") {
			t.Errorf("%s: polite: %t", name, polite)
		}
	}
	if runs["pace off"].world.Blocks == 0 {
		t.Error("without limits it does not block us")
	}
}

// TestBesideGiant sees that small domains get their answers beside a giant. Two
// mailboxes stay without one: each is the second dead one of a domain whose
// host has no postmaster and has accepted nobody.
func TestBesideGiant(t *testing.T) {
	table, err := newCrowd(true).besideGiant(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table.rows {
		t.Log(row)
		var settled, all int
		if _, err := fmt.Sscanf(row[1], "%d of %d", &settled, &all); err != nil || settled < all-2 {
			t.Errorf("not all are settled (%v): %v", err, row)
		}
	}
}
