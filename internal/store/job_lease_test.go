package store

import "testing"

// TestFreeBatches: a node gives back what it does not know of, and nothing of
// what it holds, of other jobs or of other nodes.
func TestFreeBatches(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "one")
		j, other := someJob(t, s, "acme"), someJob(t, s, "acme")
		mine := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4})
		lease(t, s, BatchQuery{Job: other.ID, Node: "one", Limit: 4})
		if len(mine) != 4 {
			t.Fatalf("leased %d", len(mine))
		}
		held := map[int64]bool{mine[0].ID: true, mine[2].ID: true}
		check(t, s.FreeBatches(t.Context(), "another", j.ID, nil))
		if free := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4}); len(free) != 0 {
			t.Errorf("another node gave back %d", len(free))
		}
		check(t, s.FreeBatches(t.Context(), "one", j.ID, held))
		free := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 4})
		if len(free) != 2 || held[free[0].ID] || held[free[1].ID] {
			t.Errorf("free are %+v, held %v", free, held)
		}
		if free := lease(t, s, BatchQuery{Job: other.ID, Node: "one", Limit: 4}); len(free) != 0 {
			t.Errorf("%d of another job", len(free))
		}
		if lost := settle(t, s, "one", settled(mine[0]), settled(mine[1])); lost[0] || !lost[1] {
			t.Errorf("lost %v", lost)
		}
	})
}
