package schedule_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// sim is a world that lives: nodes with their schedules, a store, mail hosts,
// and a clock.
type sim struct {
	*world
	dice   *rand.Rand
	time   time.Time
	queue  events
	seq    int
	count  int // events of schedules
	store  *model
	nodes  []*simNode
	tracks map[string]*track
	failed error
	trace  *strings.Builder // nil: none

	asks      [32]int // calls to the store, by kind
	settles   int
	calm      int              // events until nothing disturbs any more
	ending    bool             // nodes do not begin again
	disturbed bool             // something may have an address asked about twice
	stepped   func(n *simNode) // after each event
}

// track is what the simulation knows of a list.
type track struct {
	spec    listSpec
	total   int
	settled []int8    // how often, by address
	asked   []int8    // how often, by address, beyond its temporary answer
	stopped time.Time // when it was paused, cancelled or deleted; zero: it goes on
	queued  time.Time // since when it has something to ask and nobody does
}

var epoch = time.Unix(1_700_000_000, 0).UTC()

type event struct {
	at  time.Time
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (s *sim) after(d time.Duration, do func()) {
	s.seq++
	heap.Push(&s.queue, event{s.time.Add(d), s.seq, do})
}

func (s *sim) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = fmt.Errorf("%v: "+format, append([]any{s.time.Sub(epoch)}, args...)...)
		s.note("FAILS %v", s.failed)
	}
}

func (s *sim) note(format string, args ...any) {
	if s.trace != nil {
		fmt.Fprintf(s.trace, "%10.3f %s\n", s.time.Sub(epoch).Seconds(), fmt.Sprintf(format, args...))
	}
}

func (s *sim) upTo(d time.Duration) time.Duration { return time.Duration(s.dice.Int64N(int64(d) + 1)) }

// is reports whether there is a kind of weather for a node.
func (s *sim) is(what weather, n *simNode) bool {
	since := s.time.Sub(epoch)
	for _, w := range s.weather {
		if w.what == what && (w.node < 0 || w.node == n.number) && w.from <= since && since < w.to {
			return true
		}
	}
	return false
}

// fair reports whether nothing has disturbed anybody for so long, but for one
// kind of weather.
func (s *sim) fair(long time.Duration, but weather) bool {
	since := s.time.Sub(epoch)
	for _, w := range s.weather {
		if w.what != but && w.from <= since && since-long < w.to+time.Minute { // a call may hang for a minute
			return false
		}
	}
	for _, a := range s.acts {
		end := a.at
		if a.what == "freeze" {
			end += 3 * s.lease
		}
		if a.at <= since && since-long < end {
			return false
		}
	}
	return true
}

func live(w *world, trace bool) *sim {
	s := &sim{world: w, dice: rand.New(rand.NewPCG(w.seed, 2)), time: epoch, tracks: make(map[string]*track)}
	if trace {
		s.trace = &strings.Builder{}
	}
	s.store = newModel(func() time.Time { return s.time })
	s.store.settled = s.settled
	for i, spec := range w.nodes {
		n := &simNode{sim: s, number: i, egress: spec.egress}
		s.nodes = append(s.nodes, n)
		n.start()
	}
	for _, l := range w.lists {
		s.after(l.at, func() { s.create(l) })
	}
	for _, a := range w.acts {
		s.after(a.at, func() { s.act(a) })
	}
	s.disturbed = len(w.acts) > 0
	for _, x := range w.weather { // a lease of 30 s outlasts calls that fail for a while
		isLong := w.lease < 30*time.Second || x.to-x.from > 6*time.Second
		s.disturbed = s.disturbed || isLong || x.what == unheard || x.what == hanging || x.what == offline || x.what == ahead || x.what == broken
	}
	return s
}

func (s *sim) create(l listSpec) {
	stored := l.stored()
	made := s.store.create(l.id, l.owner, stored)
	s.tracks[l.id] = &track{
		spec: l, total: int(made.Addresses), settled: make([]int8, made.Addresses), asked: make([]int8, made.Addresses),
		queued: s.time,
	}
	if n := s.nodes[0]; n.alive {
		n.handle(schedule.Changed{})
	}
}

// settled counts results that are written: each address gets one.
func (s *sim) settled(l *modelList, one *rows.Settlement) {
	t := s.tracks[l.ID]
	for i := 0; i+2 < len(one.Results); i += 3 {
		cell := int(one.Results[i])<<8 | int(one.Results[i+1])
		if t.settled[cell]++; t.settled[cell] > 1 {
			s.fail("address %d of %s has a second result", cell, l.ID)
		}
	}
}

// act does something to a list or a node.
func (s *sim) act(a act) {
	s.note("ACT %+v", a)
	n := s.nodes[a.node]
	switch a.what {
	case "stop":
		if n.alive && n.shut.IsZero() && !s.time.Before(n.frozen) {
			n.shut = s.time
			n.handle(schedule.Shut{})
		}
		return
	case "kill":
		if n.alive {
			n.kill()
		}
		return
	case "freeze":
		n.freeze(s.upTo(3 * s.lease))
		return
	}
	t := s.tracks[a.list]
	if t == nil || !n.alive || s.time.Before(n.frozen) {
		return
	}
	s.store.change(a.list, a.what)
	if a.what == "resume" {
		if l := s.store.of[a.list]; !l.deleted && !l.State.Ended() {
			t.stopped = time.Time{}
		}
		n.handle(schedule.Changed{})
		return
	}
	if t.stopped.IsZero() {
		t.stopped = s.time
	}
	n.handle(schedule.Stop{List: a.list})
	n.handle(schedule.Changed{})
}

// run lets time go on until something fails or until.
func (s *sim) run(until time.Time, enough func() bool) {
	for s.failed == nil && len(s.queue) > 0 && !s.queue[0].at.After(until) && !enough() {
		next := heap.Pop(&s.queue).(event)
		s.time = next.at
		next.do()
	}
	if s.failed == nil && s.time.Before(until) && !enough() {
		s.time = until
	}
}

// toTheEnd lets the world live until its disturbances are over, and until its
// lists are done after that.
func (s *sim) toTheEnd() error {
	s.run(epoch.Add(s.latest), func() bool { return false })
	for _, w := range s.weather {
		s.run(epoch.Add(w.to+time.Minute+s.lease), func() bool { return false })
	}
	for _, n := range s.nodes {
		s.run(n.frozen.Add(s.lease), func() bool { return false })
	}
	for _, l := range s.lists {
		if t := s.tracks[l.id]; t != nil {
			s.store.change(l.id, "resume")
			if m := s.store.of[l.id]; !m.deleted && !m.State.Ended() {
				t.stopped = time.Time{}
			}
		}
	}
	s.note("IT IS CALM")
	s.calm = s.count
	s.run(s.time.Add(20*time.Minute), s.allDone)
	s.checkDone()
	s.run(s.time.Add(5*time.Minute), s.isIdle)
	s.checkIdle()
	s.ending = true
	for _, n := range s.nodes {
		if n.alive && n.shut.IsZero() {
			n.shut = s.time
			n.handle(schedule.Shut{})
		}
	}
	s.run(s.time.Add(10*time.Second), func() bool { return false })
	s.checkLeft()
	return s.failed
}

func (s *sim) allDone() bool {
	for _, l := range s.store.lists {
		if !l.deleted && !l.State.Ended() {
			return false
		}
	}
	return len(s.store.lists) == len(s.lists)
}

func (s *sim) isIdle() bool {
	for _, n := range s.nodes {
		if n.alive && n.plan.Load() != (schedule.Load{}) {
			return false
		}
	}
	return true
}
