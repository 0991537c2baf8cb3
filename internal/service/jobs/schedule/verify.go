package schedule

import (
	"fmt"
	"maps"
	"slices"
)

// Verify counts anew what the state has counted as it went. It is for tests.
func (s *State) Verify() error {
	lists := make(map[string]bool)
	for _, r := range s.runs {
		if lists[r.list.ID] {
			return fmt.Errorf("list %s has two runs", r.list.ID)
		}
		lists[r.list.ID] = true
		if err := s.verifyRun(r); err != nil {
			return fmt.Errorf("run %d: %w", r.id, err)
		}
	}
	calls := 0
	for _, c := range s.calls {
		if c.do == Commit {
			calls++
		}
	}
	if calls > 1 || (calls == 1) != s.settler.calls {
		return fmt.Errorf("%d commits are in progress", calls)
	}
	return nil
}

func (s *State) verifyRun(r *run) error {
	flying, large, domains := 0, 0, make(map[string]int)
	for l, b := range r.open {
		if b.Lease != l || b.left < 0 || b.freed < 0 || b.freed+b.fresh+b.left > b.Addresses {
			return fmt.Errorf("%+v", b)
		}
		if err := s.verifyBatch(b); err != nil {
			return fmt.Errorf("batch %v: %w", l, err)
		}
		flying += b.Addresses - b.freed
		if b.Domain != "" {
			large += b.Addresses - b.freed
			domains[b.Domain]++
		}
	}
	if flying != r.flying || large != r.large || !maps.Equal(domains, r.domains) {
		return fmt.Errorf("it has %d addresses, %d of them large, %v; it counts %d, %d, %v",
			flying, large, domains, r.flying, r.large, r.domains)
	}
	return nil
}

// verifyBatch sees that somebody remembers a batch that has to be committed.
func (s *State) verifyBatch(b *batch) error {
	sent := false
	for _, one := range s.settler.again {
		sent = sent || one.batch == b
	}
	for _, c := range s.calls {
		for _, one := range c.settle {
			sent = sent || one.batch == b
		}
	}
	if b.where == waits && !slices.Contains(s.settler.waiting, b) ||
		slices.Contains(s.settler.due, b) != (b.where == ready) || sent != (b.where == sending) {
		return fmt.Errorf("it stands at %d, and nobody knows it", b.where)
	}
	if b.where == idle && (b.fresh > 0 || b.left == 0 || b.run.phase == over) {
		return fmt.Errorf("nobody will commit it")
	}
	return nil
}

// Load is what a node has at the moment. Doubts are lists of which it may have
// batches that it does not know of.
type Load struct{ Runs, Batches, Addresses, Doubts int }

// Load returns what the node has at the moment.
func (s *State) Load() (l Load) {
	l.Runs, l.Doubts = len(s.runs), len(s.doubted)
	for _, r := range s.runs {
		l.Batches += len(r.open)
		l.Addresses += r.flying
	}
	return l
}

// Knows reports whether the node knows that it has a batch, or that there may
// be some of its list of which it does not know.
func (s *State) Knows(list string, l Lease) bool {
	if _, doubted := s.doubted[list]; doubted {
		return true
	}
	for _, c := range s.calls {
		if c.list.ID == list && c.do == LeaseBatches {
			return true
		}
		for _, one := range c.settle {
			if one.batch.run.list.ID == list && one.Lease == l {
				return true
			}
		}
	}
	for _, one := range s.settler.again {
		if one.batch.run.list.ID == list && one.Lease == l {
			return true
		}
	}
	r := s.runOf(list)
	return r != nil && r.open[l] != nil
}
