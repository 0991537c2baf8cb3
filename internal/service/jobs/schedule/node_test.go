package schedule_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// simNode is a node: a schedule and what carries out its actions.
type simNode struct {
	*sim
	number int
	id     string // another one each time it starts
	egress string
	plan   *schedule.State
	alive  bool
	frozen time.Time // until then
	thawed time.Time // when it last went on after that
	shut   time.Time
	tick   time.Time
	late   []func() // what happens as it goes on
	runs   map[schedule.RunID]*simRun
	calls  map[schedule.CallID]*simCall
	sent   map[int64]sentSettlement // that are not stored
	done   bool

	hurries int
	doubts  time.Time                   // since when it may have what it does not know of
	failed  map[string]time.Time        // when the last call of a kind failed
	told    map[schedule.News]time.Time // when it was told last
	aborted bool                        // its calls are to end
	broke   time.Time                   // when a call of the round failed
}

type simCall struct {
	action schedule.Action
	began  time.Time
	effect func() // in the store, once: it has happened when the call returns, or never
	leased []*simBatch
	ended  bool
}

// simRun is a run of package bulk.
type simRun struct {
	id        schedule.RunID
	list      *track
	room      int
	open      map[schedule.Lease]*simBatch
	ready     []simAddress
	flying    int
	asking    []func() // of verifications that end with their context
	finished  bool
	cancelled time.Time
	told      time.Time // that, by the plan
	ended     bool
}

type simBatch struct {
	rows.Batch
	lease   schedule.Lease
	done    []bool
	lost    bool   // that is certain
	results []byte // as Data
	later   []byte
	since   time.Time // of the first of those
}

type sentSettlement struct {
	rows.Settlement
	tried bool // it may be stored
	at    time.Time
}

type simAddress struct {
	batch  *simBatch
	number int
}

// start starts the process of a node.
func (n *simNode) start() {
	if n.ending {
		return
	}
	n.seq++
	*n = simNode{
		sim: n.sim, number: n.number, egress: n.egress, id: fmt.Sprintf("node%d-%d", n.number, n.seq), alive: true,
		runs: make(map[schedule.RunID]*simRun), calls: make(map[schedule.CallID]*simCall), sent: make(map[int64]sentSettlement),
		failed: make(map[string]time.Time), told: make(map[schedule.News]time.Time), doubts: n.time,
		plan: schedule.New(schedule.Config{Concurrency: 60, Window: 200, Batch: 50, Runs: n.sim.runs, Lease: n.lease}, n.time),
	}
	n.store.join(n.id, n.egress, n.time.Add(n.lease), len(n.nodes) == 1)
	n.network()
}

// network says twice a second whether the network works.
func (n *simNode) network() {
	n.handle(schedule.Network{Down: n.is(offline, n)})
	id := n.id
	n.after(500*time.Millisecond, func() {
		if n.id == id && !n.done {
			n.network()
		}
	})
}

// handle gives an event to the schedule, and does what it says.
func (n *simNode) handle(e schedule.Event) {
	if !n.alive || n.done {
		return
	}
	if n.time.Before(n.frozen) {
		n.late = append(n.late, func() { n.handle(e) })
		return
	}
	n.count++
	actions := n.plan.Handle(n.time, e)
	if n.trace != nil {
		if _, is := e.(schedule.Tick); !is || len(actions) > 0 {
			n.note("%s %T%+v", n.id, e, e)
		}
	}
	copied := append([]schedule.Action{}, actions...) // as the slice is valid until the next call
	for _, a := range copied {
		n.note("%s     %s", n.id, describe(a))
		n.perform(a)
	}
	if n.alive && !n.done {
		n.check()
		n.wake()
	}
	if n.stepped != nil {
		n.stepped(n)
	}
}

// wake sets the timer of a node.
func (n *simNode) wake() {
	next := n.plan.Next()
	if next.IsZero() || next.Equal(n.tick) && n.tick.After(n.time) {
		return
	}
	n.tick = next
	if !next.After(n.time) { // a State that wants to be asked at once, again and again, makes no progress
		if n.hurries++; n.hurries > 50 {
			n.fail("%s wants to go on at once for ever", n.id)
		}
	} else {
		n.hurries = 0
	}
	id := n.id
	n.after(max(0, next.Sub(n.time)), func() {
		if n.id == id && n.tick.Equal(next) {
			n.tick = time.Time{}
			n.handle(schedule.Tick{})
		}
	})
}

// kill ends the process of a node as signal 9 does. Another one begins later.
func (n *simNode) kill() {
	n.alive, n.late = false, nil
	n.id += "-killed"
	n.after(500*time.Millisecond+n.upTo(3*time.Second), n.start)
}

// ended is the end of the process of a node that was told to end.
func (n *simNode) ended() {
	n.done = true
	if n.shut.IsZero() {
		n.fail("%s ends by itself", n.id)
	}
	n.checkEnded()
	if !n.ending {
		n.alive = false
		n.id += "-ended"
		n.after(500*time.Millisecond+n.upTo(3*time.Second), n.start)
	}
}

// freeze stops a process as signal STOP does. When it goes on, what has
// happened meanwhile comes at once.
func (n *simNode) freeze(d time.Duration) {
	if !n.alive || n.time.Before(n.frozen) || !n.shut.IsZero() {
		return
	}
	n.frozen = n.time.Add(d)
	id := n.id
	n.after(d, func() {
		if n.id != id {
			return
		}
		n.thawed = n.time
		late := n.late
		n.late = nil
		for _, do := range late {
			do()
		}
	})
}

// gone is the end of a run. What it had is settled or given back, or its
// verifications do not end.
func (n *simNode) gone(r *simRun) {
	if !r.ended && n.time.Sub(r.told) < stuckWithin-2*time.Second {
		n.fail("%s gives up run %d, which has not ended", n.id, r.id)
	}
	delete(n.runs, r.id)
}

func sortedCalls(calls map[schedule.CallID]*simCall) []schedule.CallID {
	return slices.Sorted(maps.Keys(calls))
}

func describe(a schedule.Action) string {
	names := map[schedule.Do]string{
		schedule.Look: "Look", schedule.Ask: "Ask", schedule.LeaseBatches: "Lease", schedule.Free: "Free", schedule.Join: "Join",
		schedule.Leave: "Leave", schedule.Commit: "Commit", schedule.Begin: "Begin", schedule.Feed: "Feed", schedule.Room: "Room",
		schedule.Finish: "Finish", schedule.Cancel: "Cancel", schedule.Drop: "Drop", schedule.Gone: "Gone", schedule.Abort: "Abort",
		schedule.Tell: "Tell", schedule.Done: "Done",
	}
	return fmt.Sprintf("%s call %d run %d %v %v %+v %v %+v room %d news %d %v", names[a.Do], a.Call, a.Run, a.List, a.Lease, a.Query, a.Held, a.Settle, a.Room, a.News, a.Err)
}

func (n *simNode) perform(a schedule.Action) {
	r := n.runs[a.Run]
	switch a.Do {
	case schedule.Begin:
		if n.runs[a.Run] != nil {
			n.fail("run %d begins twice", a.Run)
		}
		n.runs[a.Run] = &simRun{id: a.Run, list: n.tracks[a.List.ID], open: make(map[schedule.Lease]*simBatch)}
	case schedule.Room:
		r.room = a.Room
		n.pump(r)
	case schedule.Feed:
		n.feed(r, a.Lease)
	case schedule.Finish:
		r.finished = true
		n.pump(r)
	case schedule.Cancel:
		n.cancelCalls(func(c *simCall) bool { return c.action.Run == a.Run && n.dice.IntN(3) > 0 }) // else it was done
		r.told = n.time
		n.cancel(r)
	case schedule.Drop:
		delete(r.open, a.Lease)
		r.ready = slices.DeleteFunc(r.ready, func(one simAddress) bool { return one.batch.lease == a.Lease })
	case schedule.Gone:
		n.gone(r)
	case schedule.Abort:
		n.aborted = true
		n.cancelCalls(func(*simCall) bool { return true })
	case schedule.Done:
		n.ended()
	case schedule.Tell:
		n.checkTold(a)
	default:
		if a.Do == schedule.Commit {
			n.snapshot(a.Settle)
		}
		n.call(a)
	}
}

// cancel ends the verifications of a run.
func (n *simNode) cancel(r *simRun) {
	r.cancelled, r.ready = n.time, nil
	for _, answer := range r.asking {
		n.after(n.upTo(20*time.Millisecond), answer)
	}
	n.pump(r)
}

// call carries out a call to the store.
func (n *simNode) call(a schedule.Action) {
	n.asks[a.Do]++
	n.settles += len(a.Settle)
	n.checkCall(a)
	c := &simCall{action: a, began: n.time}
	n.calls[a.Call] = c
	var e schedule.Returned
	id := n.id
	c.effect = func() {
		if !c.ended {
			e, c.effect = n.effect(id, c), func() {}
		}
	}
	took := time.Millisecond + n.upTo(8*time.Millisecond)
	if n.is(slow, n) {
		took += n.upTo(500 * time.Millisecond)
	}
	before, behind := false, false // it fails before or behind the commit
	switch {
	case n.is(away, n), n.is(unheard, n) && a.Do == schedule.Join, n.is(poison, n) && n.poisoned(a):
		before = true
	case n.is(failing, n) && n.dice.IntN(4) == 0:
		before = true
	case n.is(failing, n) && n.dice.IntN(4) == 0:
		behind = true
	case n.is(hanging, n) && n.dice.IntN(10) == 0:
		took = n.upTo(time.Minute)
		behind = n.dice.IntN(2) == 0
	}
	if !before {
		n.after(took/2, func() { c.effect() }) // also if the process is killed meanwhile
	}
	n.after(took, func() {
		if before || behind {
			e = schedule.Returned{Err: errWeather}
		}
		n.returned(id, c, e)
	})
}

var errWeather = errors.New("it is the weather")

// returned gives the answer of a call to the schedule, once.
func (n *simNode) returned(id string, c *simCall, e schedule.Returned) {
	if n.id != id || c.ended {
		return
	}
	if e.Err == errWeather && !n.time.Before(n.frozen) {
		n.failed[kind(c.action)] = n.time
		if c.action.Do == schedule.Ask || c.action.Do == schedule.Free {
			n.broke = n.time
		}
	}
	if c.action.Do == schedule.Free && e.Err == nil { // then the list is asked for at once
		delete(n.failed, kind(schedule.Action{Do: schedule.Ask, List: c.action.List}))
	}
	c.ended = true
	delete(n.calls, c.action.Call)
	e.Call = c.action.Call
	if r := n.runs[c.action.Run]; r != nil && e.Err == nil {
		for _, b := range c.leased {
			r.open[b.lease] = b
		}
	}
	for i, one := range c.action.Settle {
		n.committed(one, e, i)
	}
	n.handle(e)
}

// committed notes that a settlement is stored, or lost for certain.
func (n *simNode) committed(one schedule.Settlement, e schedule.Returned, i int) {
	s := n.sent[one.ID]
	if e.Err != nil {
		s.tried = true
		n.sent[one.ID] = s
		return
	}
	delete(n.sent, one.ID)
	r := n.runs[one.Run]
	if r == nil || r.open[one.Lease] == nil {
		return
	}
	b := r.open[one.Lease]
	b.lost = e.Lost[i] && !s.tried
	if s.tried { // what came after it may go on its way only now
		b.since = n.time
	}
}

// cancelCalls ends calls as the end of their context does: whether they are
// committed is not known.
func (n *simNode) cancelCalls(which func(*simCall) bool) {
	id := n.id
	for _, call := range sortedCalls(n.calls) {
		c := n.calls[call]
		if which(c) {
			n.after(n.upTo(3*time.Millisecond), func() {
				if !c.ended && n.dice.IntN(2) == 0 {
					c.effect()
				}
				n.returned(id, c, schedule.Returned{Err: errors.New("its context has ended")})
			})
		}
	}
}

func (n *simNode) poisoned(a schedule.Action) bool {
	for _, one := range a.Settle {
		if n.sent[one.ID].Batch.Job == n.world.lists[0].id {
			return true
		}
	}
	return a.List.ID == n.world.lists[0].id
}

// effect is what a call does in the store.
func (n *simNode) effect(id string, c *simCall) (e schedule.Returned) {
	a := c.action
	if n.store.ahead = 0; n.is(ahead, n) {
		n.store.ahead = 2 * n.lease
	}
	switch a.Do {
	case schedule.Join:
		n.store.join(id, n.egress, n.store.at().Add(n.lease), len(n.nodes) == 1)
	case schedule.Leave:
		n.store.leave(id)
	case schedule.Look:
		for _, j := range n.store.states() {
			e.Lists = append(e.Lists, schedule.List{ID: j.ID, Owner: j.Owner})
		}
	case schedule.Ask:
		e.Due = n.store.next(a.List.ID, n.egress)
	case schedule.Free:
		held := make(map[int64]int64)
		for _, l := range a.Held {
			held[l.ID] = max(held[l.ID], l.Claim)
		}
		n.store.free(id, a.List.ID, held)
	case schedule.LeaseBatches:
		e = n.leaseBatches(id, c)
	case schedule.Commit:
		e.Lost = n.settle(id, a)
	}
	return e
}

func (n *simNode) leaseBatches(id string, c *simCall) (e schedule.Returned) {
	a := c.action
	leased, err := n.store.lease(rows.BatchQuery{
		Job: a.List.ID, Node: id, Egress: n.egress, Except: a.Query.Except, Small: a.Query.Small, Held: a.Query.Held, Limit: a.Query.Limit,
	})
	e.Err = err
	for _, b := range leased {
		l := schedule.Lease{ID: b.ID, Claim: b.Claim}
		damaged := len(b.Data) != 3*b.Addresses
		e.Batches = append(e.Batches, schedule.Batch{Lease: l, Domain: b.Domain, Addresses: b.Addresses, Damaged: damaged})
		c.leased = append(c.leased, &simBatch{Batch: b, lease: l, done: make([]bool, len(b.Data)/3)})
	}
	return e
}

func (n *simNode) settle(id string, a schedule.Action) []bool {
	var all []rows.Settlement
	for _, one := range a.Settle {
		all = append(all, n.sent[one.ID].Settlement)
	}
	lost := n.store.settle(id, all)
	for _, l := range n.store.lists {
		if err := l.check(); err != nil {
			n.fail("%v", err)
		}
	}
	return lost
}

// snapshot takes from the batches what they have brought.
func (n *simNode) snapshot(all []schedule.Settlement) {
	for _, one := range all {
		if _, again := n.sent[one.ID]; again {
			continue
		}
		r := n.runs[one.Run]
		b := r.open[one.Lease]
		s := rows.Settlement{Batch: b.Batch, Results: b.results, Release: one.Release}
		if len(b.results) > 0 {
			s.Counts = []rows.ResultCount{{Result: "deliverable", Reason: "recipient_accepted", Addresses: int64(len(b.results) / 3)}}
		}
		if len(b.later) > 0 {
			due := n.time.Add(time.Duration(5+n.dice.IntN(30)) * time.Second).Truncate(time.Millisecond)
			s.Later = []rows.Batch{{Domain: b.Domain, Egress: n.egress, Retry: true, RunAfter: due, Addresses: len(b.later) / 3, Data: b.later}}
		}
		b.results, b.later = nil, nil
		if one.Damaged {
			s.Failed, s.Left = "damaged", &b.Batch
		} else if left := b.leftOver(); len(left) > 0 {
			s.Left = &rows.Batch{Addresses: len(left) / 3, Data: left}
		}
		if s.Left == nil && one.Left != 0 || s.Left != nil && s.Left.Addresses != one.Left {
			n.fail("%s: batch %v has other addresses left than %d", n.id, one.Lease, one.Left)
		}
		n.sent[one.ID] = sentSettlement{Settlement: s, at: n.time}
		if one.Release && !r.ended && n.time.Sub(r.told) < stuckWithin-2*time.Second {
			n.fail("%s gives back batch %v, which is asked about", n.id, one.Lease)
		}
		if one.Left == 0 || one.Release || one.Damaged {
			delete(r.open, one.Lease)
		}
	}
}

func (b *simBatch) leftOver() (left []byte) {
	for i, done := range b.done {
		if !done {
			left = append(left, b.Data[3*i:3*i+3]...)
		}
	}
	return left
}

func (n *simNode) feed(r *simRun, l schedule.Lease) {
	b := r.open[l]
	if b == nil {
		n.fail("%s: run %d is fed with %v, which it does not have", n.id, r.id, l)
		return
	}
	if !r.told.IsZero() {
		n.fail("%s: run %d is fed with %v, and was stopped", n.id, r.id, l)
	}
	for i := range b.done {
		r.ready = append(r.ready, simAddress{b, i})
	}
	n.pump(r)
}

// pump asks as much as may be in progress, and ends the run if it has nothing
// more.
func (n *simNode) pump(r *simRun) {
	for r.cancelled.IsZero() && len(r.ready) > 0 && r.flying < r.room {
		next := r.ready[0]
		r.ready = r.ready[1:]
		n.ask(r, next)
	}
	if !r.ended && r.flying == 0 && (!r.cancelled.IsZero() || r.finished && len(r.ready) == 0) {
		r.ended = true
		id := n.id
		n.after(n.upTo(time.Millisecond), func() {
			if n.id == id {
				n.handle(schedule.Ended{Run: r.id})
			}
		})
	}
}

// ask asks a mail host about an address.
func (n *simNode) ask(r *simRun, a simAddress) {
	r.flying++
	cell := int(a.batch.Data[3*a.number])<<8 | int(a.batch.Data[3*a.number+1])
	answers := a.batch.Data[3*a.number+2]
	n.mayAsk(r, a, cell, answers)
	if n.is(broken, n) && n.dice.IntN(100) == 0 {
		n.after(0, func() {
			if r.cancelled.IsZero() {
				n.cancel(r)
			}
		})
	}
	luck := rand.New(rand.NewPCG(n.seed, uint64(cell)<<8+uint64(answers)))
	spec := r.list.spec
	isTemporary := answers < 2 && luck.IntN(1000) < spec.temporary
	took := 5*time.Millisecond + time.Duration(luck.Int64N(int64(250*time.Millisecond)))
	if luck.IntN(1000) < spec.slow {
		took = time.Duration(luck.Int64N(int64(8 * time.Second)))
	}
	stuck := answers == 0 && luck.IntN(1000) < spec.stuck && r.list.asked[cell] == 1
	if stuck {
		took = 3 * time.Minute // whatever happens
	}
	id, asked := n.id, true
	var answer func()
	answer = func() {
		switch {
		case n.id != id || !asked:
		case n.time.Before(n.frozen):
			n.late = append(n.late, answer)
		default:
			asked = false
			r.flying--
			if r.cancelled.IsZero() || n.dice.IntN(2) == 0 {
				n.answered(r, a, isTemporary)
			}
			n.pump(r)
		}
	}
	n.after(took, answer)
	if !stuck {
		r.asking = append(r.asking, answer)
	}
}

func (n *simNode) answered(r *simRun, a simAddress, isTemporary bool) {
	if r.open[a.batch.lease] != a.batch {
		return
	}
	a.batch.done[a.number] = true
	if len(a.batch.results)+len(a.batch.later) == 0 {
		a.batch.since = n.time
	}
	entry := append([]byte{}, a.batch.Data[3*a.number:3*a.number+3]...)
	if isTemporary {
		entry[2]++
		a.batch.later = append(a.batch.later, entry...)
	} else {
		a.batch.results = append(a.batch.results, entry...)
	}
	n.handle(schedule.Answered{Run: r.id, Lease: a.batch.lease, N: 1})
}
