package schedule

import (
	"container/heap"
	"time"
)

// timer rings once, at some time.
type timer struct {
	at    time.Time
	order int64 // of setting, for those of the same time
	place int   // in the heap, from 1 on; 0: it is not set
	owner interface{ ring(*State) }
}

// set has the timer ring at some time, and not when it was to before.
func (s *State) set(t *timer, at time.Time, owner interface{ ring(*State) }) {
	s.timers.last++
	t.at, t.order, t.owner = at, s.timers.last, owner
	if t.place > 0 {
		heap.Fix(&s.timers, t.place-1)
		return
	}
	heap.Push(&s.timers, t)
}

// setSooner has the timer ring at some time, if it is not to before.
func (s *State) setSooner(t *timer, at time.Time, owner interface{ ring(*State) }) {
	if t.place == 0 || at.Before(t.at) {
		s.set(t, at, owner)
	}
}

// stop has the timer not ring.
func (s *State) stop(t *timer) {
	if t.place > 0 {
		heap.Remove(&s.timers, t.place-1)
	}
}

// ring rings the timers whose time has come.
func (s *State) ring() {
	for len(s.timers.all) > 0 && !s.timers.all[0].at.After(s.now) {
		t := heap.Pop(&s.timers).(*timer)
		t.owner.ring(s)
	}
}

// timers is a heap of those that are set.
type timers struct {
	all  []*timer
	last int64
}

func (h *timers) next() time.Time {
	if len(h.all) == 0 {
		return time.Time{}
	}
	return h.all[0].at
}

func (h *timers) Len() int { return len(h.all) }

func (h *timers) Less(i, j int) bool {
	a, b := h.all[i], h.all[j]
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	return a.order < b.order
}

func (h *timers) Swap(i, j int) {
	h.all[i], h.all[j] = h.all[j], h.all[i]
	h.all[i].place, h.all[j].place = i+1, j+1
}

func (h *timers) Push(x any) {
	t := x.(*timer)
	h.all = append(h.all, t)
	t.place = len(h.all)
}

func (h *timers) Pop() any {
	n := len(h.all) - 1
	t := h.all[n]
	h.all[n] = nil
	h.all, t.place = h.all[:n], 0
	return t
}
