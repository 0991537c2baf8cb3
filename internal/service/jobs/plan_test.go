//go:build unix

package jobs

import (
	"errors"
	"testing"
)

// TestPlanIsRemembered: a list is read once for each column. The file is closed
// after that, so that it cannot be read again.
func TestPlanIsRemembered(t *testing.T) {
	n := alone(t, &hosts{})
	s := n.receive("a,b,c\nx@a.example,y@b.example,v@c.example w@c.example\nx@a.example,z@b.example,v@c.example w@c.example\n")
	plan := func(column string) (Plan, error) { return n.Plan(t.Context(), s, Format{Columns: []string{column}}) }
	first, err := plan("1")
	if check(t, err); first.Addresses != 1 || first.Duplicates != 1 {
		t.Errorf("the first column: %+v", first)
	}
	if _, err := plan("3"); !errors.Is(err, ErrNoAddress) {
		t.Errorf("a column with two addresses in each cell: %v", err)
	}
	check(t, s.file.Close())
	again, err := plan("1")
	if check(t, err); again != first {
		t.Errorf("the first column again: %+v", again)
	}
	if _, err := plan("3"); !errors.Is(err, ErrNoAddress) {
		t.Errorf("the third column again: %v", err)
	}
	if _, err := plan("2"); err == nil {
		t.Error("a column that was not read has the plan of another")
	}
}
