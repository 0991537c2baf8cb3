package schedule_test

import (
	"container/heap"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
)

// fleet is a list of millions on many nodes. Its store knows batches by their
// size alone, and each provider answers as many addresses a second of a node as
// its limits allow.
type fleet struct {
	time   time.Time
	queue  events
	seq    int
	nodes  []*fleetNode
	fresh  map[string][]int // batches by domain, with their addresses, in their order
	later  []laterBatch     // in the order in which they are due
	left   int64
	nextID int64
	// processors of the database: when each is free
	processors [4]time.Time
	busy       time.Duration
	statements int
	calls      map[schedule.Do]int
	most       schedule.Load
	events     int
	peak       int // the event after which a node had the most batches
}

type laterBatch struct {
	due       time.Time
	addresses int
	domain    string
}

type fleetNode struct {
	*fleet
	plan   *schedule.State
	tick   time.Time
	work   map[string][]*fleetBatch // by domain, in the order of their leases
	of     map[schedule.Lease]*fleetBatch
	credit map[string]float64
}

type fleetBatch struct {
	run     schedule.RunID
	lease   schedule.Lease
	domain  string
	left    int
	retry   bool
	outcome int
}

// The mix of consumers is that of docs/planning.md, and the rates of an egress
// are higher. Of the small providers, a tenth puts us off once.
var fleetMix = []struct {
	domain string
	share  int // of a hundred
	minute float64
}{{"google", 39, 1678}, {"microsoft", 35, 1678}, {"yahoo", 18, 799}, {"", 8, 2400}}

const (
	egressesOfNode = 10
	putOff         = 10 // one in so many of the small ones
	// What a call costs the database: a processor for so long, and a commit
	// waits for the disk. Package jobs leases and settles 145,000 addresses a
	// second on two processors, so a batch takes 7 ms of one for both.
	callTakes = 3500 * time.Microsecond
	readTakes = time.Millisecond
	syncTakes = 5 * time.Millisecond
)

// TestMillions lets ten nodes with ten egresses each work on a list of
// TEST_MILLIONS million addresses, and prints what that takes: simulated time,
// what a node has at most and how much memory its State takes then, and
// statements of the database.
func TestMillions(t *testing.T) {
	millions := number(t, "TEST_MILLIONS", 1)
	f, began := newFleet(millions), time.Now()
	total := f.left
	f.run(func() bool { return f.left == 0 || f.time.Sub(epoch) >= 100*time.Hour })
	if f.left != 0 {
		t.Fatalf("%d addresses are left", f.left)
	}
	took := f.time.Sub(epoch)
	floor := time.Duration(float64(total) * 0.39 / (1678 * egressesOfNode * 10) * float64(time.Minute))
	t.Logf("%d addresses, 10 nodes, 100 egresses: %v; the limits of the largest provider allow %v", total, took.Round(time.Second), floor.Round(time.Second))
	t.Logf("%.1f statements for 1,000 addresses; calls %v; %.0f %% of a processor of the database",
		float64(f.statements)/float64(total)*1000, f.calls, 100*f.busy.Seconds()/took.Seconds())
	again := newFleet(millions) // as it was at its peak
	again.run(func() bool { return again.events == f.peak })
	t.Logf("a node has at most %d addresses in %d batches; its State has %d KiB then", f.most.Addresses, f.most.Batches, again.sizeOfPlans()/10>>10)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("simulated in %v, %d MiB", time.Since(began).Round(time.Second), memory.Sys>>20)
	if slowest := 13 * floor / 10; os.Getenv("TEST_MILLIONS") != "" && took > slowest+45*time.Minute {
		t.Errorf("it takes %v, and the limits allow %v", took, floor)
	}
}

func newFleet(millions int) *fleet {
	f := &fleet{time: epoch, fresh: make(map[string][]int), calls: make(map[schedule.Do]int), left: int64(millions) * 1_000_000}
	f.fill(millions)
	for range 10 {
		n := &fleetNode{fleet: f, work: make(map[string][]*fleetBatch), of: make(map[schedule.Lease]*fleetBatch), credit: make(map[string]float64)}
		n.plan = schedule.New(schedule.Config{Concurrency: 500, Window: 8000, Batch: 500, Runs: 50, Lease: 30 * time.Second}, f.time)
		f.nodes = append(f.nodes, n)
		n.handle(schedule.Tick{})
		n.serve()
	}
	return f
}

func (f *fleet) run(enough func() bool) {
	for !enough() {
		next := heap.Pop(&f.queue).(event)
		f.time = next.at
		next.do()
	}
}

// sizeOfPlans is how much memory the States of all nodes take. They are gone
// after it.
func (f *fleet) sizeOfPlans() uint64 {
	heap := func() uint64 {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	with := heap()
	for _, n := range f.nodes {
		n.plan = nil
	}
	without := heap()
	runtime.KeepAlive(f)
	return with - without
}

// fill makes the batches, as they come of segments of 20,000 rows.
func (f *fleet) fill(millions int) {
	for range millions * 50 {
		for _, p := range fleetMix {
			for n := 200 * p.share; n > 0; n -= 500 {
				f.fresh[p.domain] = append(f.fresh[p.domain], min(n, 500))
			}
		}
	}
}

func (f *fleet) after(d time.Duration, do func()) {
	f.seq++
	heap.Push(&f.queue, event{f.time.Add(d), f.seq, do})
}

func (n *fleetNode) handle(e schedule.Event) {
	for _, a := range append([]schedule.Action{}, n.plan.Handle(n.time, e)...) {
		n.perform(a)
	}
	l := n.plan.Load()
	if n.events++; l.Batches > n.most.Batches {
		n.peak = n.events
	}
	n.most = schedule.Load{Batches: max(l.Batches, n.most.Batches), Addresses: max(l.Addresses, n.most.Addresses)}
	if next := n.plan.Next(); !next.Equal(n.tick) {
		n.tick = next
		n.after(max(0, next.Sub(n.time)), func() {
			if n.tick.Equal(next) {
				n.tick = time.Time{}
				n.handle(schedule.Tick{})
			}
		})
	}
}

func (n *fleetNode) perform(a schedule.Action) {
	switch a.Do {
	case schedule.Look, schedule.Ask, schedule.LeaseBatches, schedule.Join, schedule.Commit:
		n.call(a)
	case schedule.Feed:
		b := n.of[a.Lease]
		b.run = a.Run
		n.work[b.domain] = append(n.work[b.domain], b)
	case schedule.Finish:
		n.after(time.Millisecond, func() { n.handle(schedule.Ended{Run: a.Run}) })
	}
}

// call takes a processor of the database, and the disk if it writes.
func (n *fleetNode) call(a schedule.Action) {
	takes := readTakes
	if a.Do == schedule.LeaseBatches {
		takes = callTakes
	}
	if a.Do == schedule.Commit {
		takes = callTakes * time.Duration(len(a.Settle))
	}
	first := 0
	for i, free := range n.processors {
		if free.Before(n.processors[first]) {
			first = i
		}
	}
	begins := n.time
	if n.processors[first].After(begins) {
		begins = n.processors[first]
	}
	n.processors[first] = begins.Add(takes)
	n.busy += takes
	n.calls[a.Do]++
	n.after(begins.Add(takes+syncTakes).Sub(n.time), func() {
		e := n.effect(a)
		e.Call = a.Call
		n.handle(e)
	})
}

func (n *fleetNode) effect(a schedule.Action) (e schedule.Returned) {
	switch a.Do {
	case schedule.Look:
		n.statements += 2
		e.Lists = []schedule.List{{ID: "list", Owner: "owner"}}
	case schedule.Ask:
		n.statements++
		e.Due = n.time
	case schedule.Join:
		n.statements += 3
	case schedule.LeaseBatches:
		n.statements += 4
		if int64(a.Query.Held)*10 >= n.left && a.Query.Held > 0 {
			return e
		}
		if b := n.lease(a.Query); b != nil {
			n.of[b.lease] = b
			e.Batches = []schedule.Batch{{Lease: b.lease, Domain: b.domain, Addresses: b.left}}
		}
	case schedule.Commit:
		n.statements += 7
		e.Lost = make([]bool, len(a.Settle))
		for _, one := range a.Settle {
			n.settle(one)
		}
	}
	return e
}

// lease takes the next batch: what is asked again first, and then the list in
// its order, of which each domain is at about the same place.
func (f *fleet) lease(q schedule.Query) *fleetBatch {
	f.nextID++
	b := &fleetBatch{lease: schedule.Lease{ID: f.nextID, Claim: 1}}
	if len(f.later) > 0 && !f.later[0].due.After(f.time) {
		b.left, b.retry = f.later[0].addresses, true
		f.later = f.later[1:]
		return b
	}
	best, progress := "none", 2.0
	for _, p := range fleetMix {
		isExcept := q.Small && p.domain != ""
		for _, except := range q.Except {
			isExcept = isExcept || except == p.domain
		}
		left := float64(len(f.fresh[p.domain]))
		if at := -left / float64(p.share); !isExcept && left > 0 && (progress == 2 || at < progress) {
			best, progress = p.domain, at
		}
	}
	if best == "none" {
		return nil
	}
	b.domain, b.left = best, f.fresh[best][0]
	f.fresh[best] = f.fresh[best][1:]
	return b
}

func (n *fleetNode) settle(one schedule.Settlement) {
	b := n.of[one.Lease]
	n.statements += 2
	put := 0
	if b.domain == "" && !b.retry {
		put = b.outcome / putOff
	}
	if put > 0 {
		n.statements++
		n.later = append(n.later, laterBatch{n.time.Add(5 * time.Minute), put, b.domain})
	}
	n.left -= int64(b.outcome - put)
	b.outcome = 0
	if one.Left == 0 {
		delete(n.of, one.Lease)
	}
}

// serve lets the providers answer for a moment.
func (n *fleetNode) serve() {
	const moment = 100 * time.Millisecond
	for _, p := range fleetMix {
		n.credit[p.domain] = min(n.credit[p.domain], 500) + p.minute*egressesOfNode/60*moment.Seconds()
		for n.credit[p.domain] >= 1 && len(n.work[p.domain]) > 0 {
			b := n.work[p.domain][0]
			some := min(b.left, int(n.credit[p.domain]))
			b.left -= some
			b.outcome += some
			n.credit[p.domain] -= float64(some)
			if b.left == 0 {
				n.work[p.domain] = n.work[p.domain][1:]
			}
			n.handle(schedule.Answered{Run: b.run, Lease: b.lease, N: some})
		}
	}
	n.after(moment, n.serve)
}
