//go:build unix

package store

import (
	"slices"
	"testing"
)

// inPieces settles a batch address by address.
func inPieces(b Batch) (all []Settlement) {
	for left := b.Addresses - 1; left >= 0; left-- {
		one := Settlement{Batch: b, Results: []byte("one"), Counts: []ResultCount{{Result: "unknown", Addresses: 1}}}
		if left > 0 {
			one.Left = &Batch{Addresses: left, Data: []byte("left")}
		}
		all = append(all, one)
	}
	return all
}

// TestPiecesOfBatchesInOneCommit: after the store was away, many settlements of
// the same batches wait. None of them may overtake one before it.
func TestPiecesOfBatchesInOneCommit(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "node")
		j := someJob(t, s, "acme")
		var pieces [][]Settlement
		for _, b := range lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10}) {
			pieces = append(pieces, inPieces(b))
		}
		slices.Reverse(pieces)
		var all []Settlement
		for i := range pieces[0] {
			for _, of := range pieces {
				all = append(all, of[i])
			}
		}
		for i, lost := range settle(t, s, "node", all...) {
			if lost {
				t.Errorf("settlement %d is lost", i)
			}
		}
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobDone || got.Done != j.Addresses || got.Results["unknown"] != j.Addresses {
			t.Errorf("%+v", got)
		}
		wantRows(t, s, "job_results", int(j.Addresses))
	})
}

// TestPieceIsSettledOnce: a commit whose outcome was not known is repeated, and
// those that follow it count.
func TestPieceIsSettledOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "node")
		j := someJob(t, s, "acme")
		pieces := inPieces(lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})[0])
		for i, piece := range pieces {
			if lost := settle(t, s, "node", piece); lost[0] {
				t.Errorf("piece %d is lost", i)
			}
			if lost := settle(t, s, "node", piece); !lost[0] {
				t.Errorf("piece %d counts twice", i)
			}
		}
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if want := int64(len(pieces)); got.Done != want || got.Results["unknown"] != want {
			t.Errorf("%+v, want %d done", got, want)
		}
	})
}
