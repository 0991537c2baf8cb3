//go:build unix

package store

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// someJob starts a job with two segments, each with two batches of ten
// addresses.
func someJob(t testing.TB, s *Store, owner string, webhook ...string) Job {
	t.Helper()
	ctx := t.Context()
	j, err := s.BeginJob(ctx, "node", Job{Owner: owner, Key: "key", Name: "a list", Webhook: strings.Join(webhook, ""), Format: "csv"}, 0, []byte("head"))
	check(t, err)
	for segment := range int64(2) {
		check(t, s.AddSegment(ctx, j.ID, segment, 0, []byte{byte(segment)}, []Batch{
			{Segment: segment, Domain: "giant.example", Addresses: 10, Rows: 11, Data: []byte("giant")},
			{Segment: segment, Addresses: 10, Rows: 10, Data: []byte("small")},
		}))
	}
	j, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{
		Rows: 45, Duplicates: 3, Unusable: 2, Addresses: 40, Segments: 2,
		Groups: map[string]GroupCount{"safe": {}, "risky": {}, "bad": {}, "retry": {}, "none": {Rows: 2}},
	}, nil)
	check(t, err)
	return j
}

func join(t testing.TB, s *Store, node string) {
	t.Helper()
	check(t, s.JoinJobs(t.Context(), node, "", s.now().Add(time.Minute)))
}

func lease(t testing.TB, s *Store, q BatchQuery) []Batch {
	t.Helper()
	leased, err := s.LeaseBatches(t.Context(), q)
	check(t, err)
	return leased
}

// settled says that all of a batch is deliverable.
func settled(b Batch) Settlement {
	n := int64(b.Addresses)
	return Settlement{
		Batch: b, Results: []byte("results"), Counts: []ResultCount{{Result: "deliverable", Reason: "recipient_accepted", Addresses: n}},
		Groups: map[string]GroupCount{"safe": {Rows: b.Rows, Addresses: n}},
	}
}

func settle(t testing.TB, s *Store, node string, all ...Settlement) []bool {
	t.Helper()
	lost, err := s.SettleBatches(t.Context(), node, all)
	check(t, err)
	return lost
}

func TestJobRunsToItsEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		join(t, s, "node")
		j := someJob(t, s, "acme")
		if j.State != JobQueued || j.Rows != 45 || j.Addresses != 40 || !j.Started.IsZero() {
			t.Errorf("%+v", j)
		}
		leased := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Except: []string{"giant.example"}, Limit: 10})
		if len(leased) != 2 || leased[0].ID != 2 || string(leased[0].Data) != "small" || leased[1].Segment != 1 {
			t.Errorf("leased %+v", leased)
		}
		later := Batch{Segment: 0, Addresses: 4, Retry: true, RunAfter: clock.Now().Add(time.Minute), Data: []byte("later")}
		first := settled(leased[0])
		first.Counts[0].Addresses, first.Later = 6, []Batch{later}
		left := leased[1]
		left.Addresses, left.Data = 3, []byte("left")
		second := Settlement{Batch: leased[1], Results: []byte("part"), Counts: []ResultCount{{Result: "unknown", Addresses: 7}}, Left: &left}
		if lost := settle(t, s, "node", second, first); lost[0] || lost[1] {
			t.Errorf("lost %v", lost)
		}
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobRunning || got.Done != 13 || got.Results["deliverable"] != 6 || got.Results["unknown"] != 7 || got.Reasons["recipient_accepted"] != 6 {
			t.Errorf("%+v", got)
		}
		second = settled(left)
		settle(t, s, "node", second)
		leased = lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10})
		if len(leased) != 2 || leased[0].Domain != "giant.example" {
			t.Errorf("leased %+v", leased)
		}
		settle(t, s, "node", settled(leased[0]), settled(leased[1]))
		due, err := s.NextBatch(t.Context(), j.ID, "")
		if check(t, err); !due.Equal(later.RunAfter) {
			t.Errorf("next batch at %v, want %v", due, later.RunAfter)
		}
		if more := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10}); len(more) != 0 {
			t.Errorf("before its time: %+v", more)
		}
		clock.Advance(time.Minute)
		leased = lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 10})
		if len(leased) != 1 || !leased[0].Retry || string(leased[0].Data) != "later" {
			t.Fatalf("leased %+v", leased)
		}
		settle(t, s, "node", settled(leased[0]))
		got, err = s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobDone || got.Done != 40 || !got.Finished.Equal(clock.Now()) || got.Results["deliverable"]+got.Results["unknown"] != 40 {
			t.Errorf("%+v", got)
		}
		data, results, err := s.JobSegment(t.Context(), j.ID, 1)
		check(t, err)
		if want := [][]byte{[]byte("results"), []byte("results"), []byte("part")}; !bytes.Equal(data, []byte{1}) || !cmp.Equal(results, want) {
			t.Errorf("segment %v with %s", data, results)
		}
		wantRows(t, s, "job_batches", 0)
	})
}

// TestLeasesAreFenced: the batches of a node that is lost go to another one,
// and what the lost one brings later is not counted.
func TestLeasesAreFenced(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		join(t, s, "one")
		j := someJob(t, s, "acme")
		of := BatchQuery{Job: j.ID, Node: "one", Limit: 10}
		first := lease(t, s, of)
		of.Node = "two"
		if more := lease(t, s, of); len(first) != 4 || len(more) != 0 {
			t.Fatalf("one has %d, two has %d", len(first), len(more))
		}
		clock.Advance(2 * time.Minute) // longer than join says
		join(t, s, "two")
		second := lease(t, s, of)
		if len(second) != 4 {
			t.Fatalf("two has %d", len(second))
		}
		if lost := settle(t, s, "one", settled(first[0])); !lost[0] {
			t.Error("a lost node settles a batch")
		}
		if lost := settle(t, s, "two", settled(first[0])); !lost[0] {
			t.Error("a lease of before settles a batch")
		}
		check(t, s.LeaveJobs(t.Context(), "two"))
		if lost := settle(t, s, "two", settled(second[0])); !lost[0] {
			t.Error("a lease that was given back settles a batch")
		}
		join(t, s, "one")
		of.Node = "one"
		for _, b := range lease(t, s, of) {
			settle(t, s, "one", settled(b))
		}
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobDone || got.Results["deliverable"] != 40 {
			t.Errorf("%+v", got)
		}
	})
}

// TestBatchesAreLeasedOnce: nodes that lease at the same time get different
// batches.
func TestBatchesAreLeasedOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		j, err := s.BeginJob(t.Context(), "node", Job{}, 0, nil)
		check(t, err)
		const many = 100
		batches := make([]Batch, many)
		for i := range batches {
			batches[i] = Batch{Addresses: 1, Data: []byte{byte(i)}}
		}
		check(t, s.AddSegment(t.Context(), j.ID, 0, 0, nil, batches))
		_, err = s.StartJob(t.Context(), ByCommand("test"), j.ID, JobTotals{Addresses: many}, nil)
		check(t, err)
		var mu sync.Mutex
		seen := map[int64]int{}
		noErrors(t, together(6, func(i int) error {
			node := fmt.Sprint("node", i)
			if err := s.JoinJobs(t.Context(), node, "", time.Now().Add(time.Hour)); err != nil {
				return err
			}
			for idle := 0; idle < 3; {
				leased, err := s.LeaseBatches(t.Context(), BatchQuery{Job: j.ID, Node: node, Limit: 7})
				if err != nil {
					return err
				}
				if len(leased) == 0 {
					idle++
					continue
				}
				var all []Settlement
				mu.Lock()
				for _, b := range leased {
					seen[b.ID]++
					all = append(all, settled(b))
				}
				mu.Unlock()
				if _, err := s.SettleBatches(t.Context(), node, all); err != nil {
					return err
				}
			}
			return nil
		}))
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobDone || got.Done != many || got.Results["deliverable"] != many {
			t.Errorf("%+v", got)
		}
	})
}

func TestJobStates(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "node")
		j := someJob(t, s, "acme")
		of := BatchQuery{Job: j.ID, Node: "node", Limit: 1}
		first := lease(t, s, of)[0]
		paused, err := s.PauseJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		if more := lease(t, s, of); paused.State != JobPaused || len(more) > 0 {
			t.Errorf("%s, and a node gets %v", paused.State, more)
		}
		if lost := settle(t, s, "node", settled(first)); lost[0] {
			t.Error("what was asked before a pause does not count")
		}
		resumed, err := s.ResumeJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		second := lease(t, s, of)
		if resumed.State != JobRunning || len(second) != 1 {
			t.Errorf("%s, and a node gets %v", resumed.State, second)
		}
		cancelled, err := s.CancelJob(ctx, ByCommand("test"), j.ID)
		check(t, err)
		if cancelled.State != JobCancelled || cancelled.Done != 10 || cancelled.Finished.IsZero() {
			t.Errorf("%+v", cancelled)
		}
		if lost := settle(t, s, "node", settled(second[0])); !lost[0] {
			t.Error("what comes after the end counts")
		}
		_, err = s.ResumeJob(ctx, ByCommand("test"), j.ID)
		wantError(t, err, ErrState)
		_, err = s.PauseJob(ctx, ByCommand("test"), "job_unknown")
		wantError(t, err, ErrNotFound)
		check(t, s.DeleteJob(ctx, ByCommand("test"), j.ID))
		wantError(t, s.DeleteJob(ctx, ByCommand("test"), j.ID), ErrNotFound)
		for _, table := range []string{"jobs", "job_counts", "job_groups", "job_segments", "job_batches", "job_results"} {
			wantRows(t, s, table, 0)
		}
	})
}

// TestJobFails: a settlement that says so ends the job.
func TestJobFails(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		join(t, s, "node")
		j := someJob(t, s, "acme")
		leased := lease(t, s, BatchQuery{Job: j.ID, Node: "node", Limit: 1})
		settle(t, s, "node", Settlement{Batch: leased[0], Left: &leased[0], Failed: "it is damaged"})
		got, err := s.Job(t.Context(), j.ID)
		check(t, err)
		if got.State != JobFailed || got.Problem != "it is damaged" || got.Done != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestJobsOfOwners pages through the jobs of one owner among others.
func TestJobsOfOwners(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		clock := newClock()
		o.Now = clock.Now
		s := open(t, o)
		var want []string
		for i := range 5 {
			clock.Advance(time.Duration(i%2) * time.Millisecond) // some at the same time
			want = append(want, someJob(t, s, "acme").ID)
			someJob(t, s, "other")
		}
		var got []string
		for before := ""; ; {
			page, err := s.Jobs(t.Context(), JobQuery{Owners: []string{"acme", "nobody"}, Before: before, Limit: 2})
			check(t, err)
			for _, j := range page {
				got = append(got, j.ID)
				before = j.ID
			}
			if len(page) < 2 {
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %v, want %v in some order", got, want)
		}
		all, err := s.Jobs(t.Context(), JobQuery{})
		check(t, err)
		none, err := s.Jobs(t.Context(), JobQuery{Owners: []string{}})
		check(t, err)
		if len(all) != 10 || len(none) != 0 {
			t.Errorf("all are %d, of nobody %d", len(all), len(none))
		}
	})
}

// TestNodesShareWhatIsLeft: a node gets no more of a job than its share of what
// is left, however much it has room for, and always something if it has
// nothing.
func TestNodesShareWhatIsLeft(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s, ctx := open(t, o), t.Context()
		join(t, s, "one")
		j, err := s.BeginJob(ctx, "one", Job{}, 0, nil)
		check(t, err)
		var batches []Batch
		for range 12 {
			batches = append(batches, Batch{Addresses: 10, Data: []byte("x")})
		}
		check(t, s.AddSegment(ctx, j.ID, 0, 0, nil, batches))
		_, err = s.StartJob(ctx, ByCommand("test"), j.ID, JobTotals{Addresses: 120}, nil)
		check(t, err)
		all := func(node string, held int) (addresses int) {
			t.Helper()
			for {
				leased := lease(t, s, BatchQuery{Job: j.ID, Node: node, Limit: 3, Held: held + addresses})
				for _, b := range leased {
					addresses += b.Addresses
				}
				if len(leased) == 0 {
					return addresses
				}
			}
		}
		if s.Engine() == "postgresql" { // an embedded database has one node
			join(t, s, "two")
			join(t, s, "three")
			if one, two := all("one", 0), all("two", 30); one != 40 || two != 10 {
				t.Errorf("the nodes have %d and %d addresses", one, two)
			}
			return
		}
		if one := all("one", 0); one != 120 {
			t.Errorf("the only node has %d addresses", one)
		}
	})
}
