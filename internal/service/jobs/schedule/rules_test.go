package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
)

// hand is a State that a test leads by hand: it has one list, and calls return
// when the test says so.
type hand struct {
	t     *testing.T
	plan  *schedule.State
	now   time.Time
	calls []schedule.Action // that have not returned
	did   []schedule.Do
	next  int64
}

// byHand returns the State of a node with a run that leases.
func byHand(t *testing.T) *hand {
	h := &hand{t: t, now: epoch}
	h.plan = schedule.New(schedule.Config{Concurrency: 60, Window: 400, Batch: 50, Runs: 4, Lease: time.Hour}, h.now)
	h.handle(schedule.Tick{})
	h.returns(schedule.Look, schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner"}}})
	h.returns(schedule.Ask, schedule.Returned{Due: h.now})
	return h
}

func (h *hand) handle(e schedule.Event) {
	h.t.Helper()
	for _, a := range h.plan.Handle(h.now, e) {
		if h.did = append(h.did, a.Do); a.Call > 0 {
			h.calls = append(h.calls, a)
		}
	}
	if err := h.plan.Verify(); err != nil {
		h.t.Fatal(err)
	}
}

// pass lets time pass.
func (h *hand) pass(d time.Duration) {
	h.t.Helper()
	h.now = h.now.Add(d)
	h.handle(schedule.Tick{})
}

// waiting is the call of a kind that has not returned.
func (h *hand) waiting(do schedule.Do) (schedule.Action, bool) {
	for _, a := range h.calls {
		if a.Do == do {
			return a, true
		}
	}
	return schedule.Action{}, false
}

// returns lets the call of a kind return.
func (h *hand) returns(do schedule.Do, e schedule.Returned) schedule.Action {
	h.t.Helper()
	a, found := h.waiting(do)
	if !found {
		h.t.Fatalf("no call %d is in progress: %+v", do, h.calls)
	}
	h.calls = slices.DeleteFunc(h.calls, func(one schedule.Action) bool { return one.Call == a.Call })
	e.Call = a.Call
	if do == schedule.Commit && e.Err == nil && e.Lost == nil {
		e.Lost = make([]bool, len(a.Settle))
	}
	h.handle(e)
	return a
}

// leases lets the run have batches of so many addresses.
func (h *hand) leases(domain string, addresses ...int) (all []schedule.Lease) {
	h.t.Helper()
	var e schedule.Returned
	for _, n := range addresses {
		h.next++
		b := schedule.Batch{Lease: schedule.Lease{ID: h.next, Claim: 1}, Domain: domain, Addresses: n}
		e.Batches = append(e.Batches, b)
		all = append(all, b.Lease)
	}
	h.returns(schedule.LeaseBatches, e)
	return all
}

func (h *hand) answers(l schedule.Lease, n int) {
	h.t.Helper()
	h.handle(schedule.Answered{Run: 1, Lease: l, N: n})
}

// TestQuery: what a run leases, after what it has (rule 5).
func TestQuery(t *testing.T) {
	type has struct {
		domain    string
		addresses []int
	}
	many := func() (all []has) {
		for i := range 51 {
			all = append(all, has{fmt.Sprintf("d%02d.example", i), []int{1, 1}})
		}
		return all
	}
	for _, test := range []struct {
		name string
		has  []has
		want schedule.Query
	}{
		{"nothing", nil, schedule.Query{Limit: 4}},
		{"some", []has{{"", []int{50, 20}}}, schedule.Query{Limit: 4, Held: 70}},
		{"one of a domain", []has{{"a.example", []int{50}}}, schedule.Query{Limit: 4, Held: 50}},
		{"two of a domain", []has{{"a.example", []int{50, 1}}}, schedule.Query{Limit: 4, Held: 51, Except: []string{"a.example"}}},
		{"two of two", []has{{"b.example", []int{9, 1}}, {"a.example", []int{50, 1}}}, schedule.Query{
			Limit: 4, Held: 61, Except: []string{"a.example", "b.example"},
		}},
		{"two of small ones", []has{{"", []int{50, 50}}}, schedule.Query{Limit: 4, Held: 100}},
		{"room for two", []has{{"", []int{50, 50, 50, 50}}, {"", []int{50, 49}}}, schedule.Query{Limit: 2, Held: 299}},
		{"large ones have nearly their part", []has{{"a.example", []int{50}}, {"b.example", []int{50}}, {"c.example", []int{50, 50, 50, 49}}},
			schedule.Query{Limit: 2, Held: 299, Except: []string{"c.example"}}},
		{"large ones have their part", []has{{"a.example", []int{50}}, {"b.example", []int{50}}, {"c.example", []int{50, 50, 50, 50}}},
			schedule.Query{Limit: 2, Held: 300, Small: true}},
		{"too many to name", many(), schedule.Query{Limit: 4, Held: 102, Small: true}},
		{"all to name", many()[:50], schedule.Query{Limit: 4, Held: 100, Except: func() (names []string) {
			for _, one := range many()[:50] {
				names = append(names, one.domain)
			}
			return names
		}()}},
	} {
		h := byHand(t)
		for _, one := range test.has {
			h.leases(one.domain, one.addresses...)
		}
		got, found := h.waiting(schedule.LeaseBatches)
		if !found || fmt.Sprintf("%+v", got.Query) != fmt.Sprintf("%+v", test.want) {
			t.Errorf("%s: %v %+v, want %+v", test.name, found, got.Query, test.want)
		}
	}
}

// TestFullWindow: a run without room leases nothing, and again when a part of
// it is free (rule 5).
func TestFullWindow(t *testing.T) {
	h := byHand(t)
	first := h.leases("", 50, 50, 50, 50)
	h.leases("", 50, 50, 50, 1)
	if a, found := h.waiting(schedule.LeaseBatches); found {
		t.Fatalf("%+v", a)
	}
	h.answers(first[0], 50)
	h.pass(30 * time.Millisecond)
	h.returns(schedule.Commit, schedule.Returned{})
	if a, found := h.waiting(schedule.LeaseBatches); !found || a.Query.Limit != 1 {
		t.Errorf("%v %+v", found, a.Query)
	}
}

// TestFailedCommit: what failed takes turns with what is due, and in halves
// (rule 7).
func TestFailedCommit(t *testing.T) {
	h := byHand(t)
	broken := errors.New("broken")
	batches := append(h.leases("", 40, 40, 40, 40), h.leases("", 40, 40)...)
	h.returns(schedule.LeaseBatches, schedule.Returned{})
	var sizes []string
	for i := range 12 {
		if i == 0 {
			for _, l := range batches[:4] {
				h.answers(l, 1)
			}
		} else { // there is always something that is due
			h.answers(batches[4], 1)
			h.answers(batches[5], 1)
		}
		h.pass(280 * time.Millisecond)
		a, found := h.waiting(schedule.Commit)
		if !found {
			h.pass(time.Second)
			a, _ = h.waiting(schedule.Commit)
		}
		has := ""
		for _, one := range a.Settle {
			has += fmt.Sprint(" ", one.Lease.ID)
		}
		var err error
		if i == 0 || slices.ContainsFunc(a.Settle, func(one schedule.Settlement) bool { return one.Lease == batches[0] }) {
			err, has = broken, has+" fail"
		}
		sizes = append(sizes, has)
		h.returns(schedule.Commit, schedule.Returned{Err: err})
		if _, found := h.waiting(schedule.Commit); err != nil && found {
			t.Fatal("it is tried again at once")
		}
	}
	want := []string{
		" 1 2 3 4 fail", " 1 2 fail", " 5 6", " 3", " 5 6", " 4 1 fail", " 5 6", " 2", " 5 6", " 4 1 fail", " 5 6", " 4",
	}
	if !slices.Equal(sizes, want) {
		t.Errorf("commits are %q, want %q", sizes, want)
	}
}

// TestRuleEnds: a node that was told to end begins nothing with what it asked
// before (rule 14).
func TestRuleEnds(t *testing.T) {
	h := &hand{t: t, now: epoch}
	h.plan = schedule.New(schedule.Config{Concurrency: 60, Window: 400, Batch: 50, Runs: 4, Lease: time.Hour}, h.now)
	h.handle(schedule.Tick{})
	h.returns(schedule.Look, schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner"}}})
	h.handle(schedule.Shut{})
	h.returns(schedule.Ask, schedule.Returned{Due: h.now})
	if l := h.plan.Load(); l.Runs > 0 {
		t.Errorf("it has %+v", l)
	}
	if a, found := h.waiting(schedule.Leave); !found {
		t.Errorf("it does not leave: %+v", a)
	}
}

// TestRuleDoubt: when a node has given back what it did not know of, it asks
// for the list at once, although it was told that nothing is due (rule 9).
func TestRuleDoubt(t *testing.T) {
	h := byHand(t)
	h.returns(schedule.LeaseBatches, schedule.Returned{Err: errors.New("broken")})
	h.handle(schedule.Ended{Run: 1})
	h.pass(500 * time.Millisecond)
	list := schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner"}}}
	h.returns(schedule.Look, list)
	h.returns(schedule.Ask, schedule.Returned{}) // the store has it for this node
	h.pass(500 * time.Millisecond)
	h.returns(schedule.Look, list)
	h.returns(schedule.Free, schedule.Returned{})
	if _, found := h.waiting(schedule.Ask); !found {
		t.Errorf("it does not ask for the list: %+v", h.calls)
	}
}

// TestRuleForgets: what is known of a list ends when it has nothing to ask, so
// one that goes on is asked for at once (rule 2).
func TestRuleForgets(t *testing.T) {
	h := byHand(t)
	list := schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner"}}}
	h.returns(schedule.LeaseBatches, schedule.Returned{})
	h.handle(schedule.Ended{Run: 1})
	for i, lists := range []schedule.Returned{list, {}, list} {
		h.pass(500 * time.Millisecond)
		h.returns(schedule.Look, lists)
		if _, found := h.waiting(schedule.Ask); found != (i != 1) {
			t.Fatalf("look %d: it asks: %v", i, found)
		}
		if i == 0 {
			h.returns(schedule.Ask, schedule.Returned{}) // paused: nothing is due
		}
	}
}

// TestRuleDamaged: a list with a batch that cannot be read gets no others: it
// fails (rule 5).
func TestRuleDamaged(t *testing.T) {
	h := byHand(t)
	h.returns(schedule.LeaseBatches, schedule.Returned{Batches: []schedule.Batch{
		{Lease: schedule.Lease{ID: 1, Claim: 1}, Addresses: 50, Damaged: true},
	}})
	if a, found := h.waiting(schedule.LeaseBatches); found {
		t.Errorf("%+v", a)
	}
	h.pass(30 * time.Millisecond)
	if a := h.returns(schedule.Commit, schedule.Returned{}); !a.Settle[0].Damaged {
		t.Errorf("%+v", a.Settle)
	}
}

// TestRuleTogether: a commit is bounded, and the rest follows at once (rule 6).
func TestRuleTogether(t *testing.T) {
	h := byHand(t)
	many := slices.Repeat([]int{1}, 70)
	for _, l := range h.leases("", many...) {
		h.answers(l, 1)
	}
	h.pass(30 * time.Millisecond)
	for _, want := range []int{64, 6} {
		if a := h.returns(schedule.Commit, schedule.Returned{}); len(a.Settle) != want {
			t.Errorf("%d settlements together, want %d", len(a.Settle), want)
		}
	}
}

// TestRuleEndsInTime: a node that could not store all it has in time lets its
// calls end, leaves, and commits no more (rule 14).
func TestRuleEndsInTime(t *testing.T) {
	h := byHand(t)
	batches := h.leases("", 40, 40)
	h.answers(batches[0], 40)
	h.pass(30 * time.Millisecond)
	h.handle(schedule.Shut{})
	h.handle(schedule.Ended{Run: 1})
	h.pass(5*time.Second - 30*time.Millisecond)
	if slices.Contains(h.did, schedule.Leave) {
		t.Error("it leaves too early")
	}
	h.pass(30 * time.Millisecond)
	if !slices.Contains(h.did, schedule.Abort) || !slices.Contains(h.did, schedule.Leave) {
		t.Errorf("it did %v", h.did)
	}
	h.returns(schedule.Commit, schedule.Returned{Err: errors.New("its context has ended")})
	h.pass(time.Second)
	if a, found := h.waiting(schedule.Commit); found {
		t.Errorf("it goes on with %+v", a)
	}
	h.returns(schedule.Leave, schedule.Returned{})
	if !slices.Contains(h.did, schedule.Done) {
		t.Errorf("it did %v", h.did)
	}
}

// TestRuleTurn: a run that makes place for another list waits for the lease
// that is on its way (rule 3).
func TestRuleTurn(t *testing.T) {
	h := &hand{t: t, now: epoch}
	h.plan = schedule.New(schedule.Config{Concurrency: 60, Window: 400, Batch: 50, Runs: 1, Lease: time.Hour}, h.now)
	h.handle(schedule.Tick{})
	both := schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner"}, {ID: "other", Owner: "owner"}}}
	h.returns(schedule.Look, both)
	h.returns(schedule.Ask, schedule.Returned{Due: h.now})
	h.pass(time.Minute)
	h.returns(schedule.Look, both)
	h.returns(schedule.Ask, schedule.Returned{Due: h.now})
	if l := h.plan.Load(); l.Runs != 2 || slices.Contains(h.did, schedule.Finish) {
		t.Fatalf("%+v, it did %v", l, h.did)
	}
	first := h.leases("", 40)[0]
	if !slices.Contains(h.did, schedule.Feed) {
		t.Errorf("it did %v", h.did)
	}
	h.answers(first, 40)
	h.pass(30 * time.Millisecond)
	h.returns(schedule.Commit, schedule.Returned{})
	if !slices.Contains(h.did, schedule.Finish) {
		t.Errorf("it did %v", h.did)
	}
}

// TestRuleLeaves: a node ends although the store does not answer when it leaves
// (rule 14).
func TestRuleLeaves(t *testing.T) {
	h := byHand(t)
	h.handle(schedule.Shut{})
	h.returns(schedule.LeaseBatches, schedule.Returned{Err: errors.New("its context has ended")})
	h.handle(schedule.Ended{Run: 1})
	for _, isDone := range []bool{false, true} {
		h.pass(time.Second)
		if slices.Contains(h.did, schedule.Done) != isDone {
			t.Errorf("after %v it did %v", h.now.Sub(epoch), h.did)
		}
	}
}

// TestRuleNetwork: without a network the node stops its runs and begins none,
// but for lists about which nobody is asked (rule 11).
func TestRuleNetwork(t *testing.T) {
	for _, alone := range []bool{false, true} {
		h := &hand{t: t, now: epoch}
		h.plan = schedule.New(schedule.Config{Concurrency: 60, Window: 400, Batch: 50, Runs: 4, Lease: time.Hour}, h.now)
		both := schedule.Returned{Lists: []schedule.List{{ID: "list", Owner: "owner", Alone: alone}, {ID: "other", Owner: "owner", Alone: alone}}}
		h.handle(schedule.Tick{})
		h.returns(schedule.Look, both)
		h.returns(schedule.Ask, schedule.Returned{Due: h.now})
		h.handle(schedule.Network{Down: true})
		if stopped := slices.Contains(h.did, schedule.Cancel); stopped == alone {
			t.Errorf("alone: %v: its run is stopped: %v", alone, stopped)
		}
		h.returns(schedule.Ask, schedule.Returned{Due: h.now})
		if runs := h.plan.Load().Runs; (runs == 2) != alone {
			t.Errorf("alone: %v: %d runs", alone, runs)
		}
	}
}
