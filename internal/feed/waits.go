package feed

import (
	"container/heap"
	"time"
)

// Waits are what waits until it is asked about again. The zero value is empty.
type Waits[T any] struct{ all waits[T] }

// waiting is one that waits. Of those that are due at the same time, the order
// is that of their places.
type waiting[T any] struct {
	due   time.Duration
	place int64
	of    T
}

// Len is the number of those that wait.
func (w *Waits[T]) Len() int { return len(w.all) }

// Add adds one that is due at a time.
func (w *Waits[T]) Add(of T, due time.Duration, place int64) {
	heap.Push(&w.all, waiting[T]{due, place, of})
}

// Due takes the next address that is due now. If none is due, it returns when
// the next one will be; zero: nothing waits.
func (w *Waits[T]) Due(now time.Duration) (of T, is bool, next time.Duration) {
	switch {
	case len(w.all) == 0:
		return of, false, 0
	case w.all[0].due > now:
		return of, false, w.all[0].due
	}
	return heap.Pop(&w.all).(waiting[T]).of, true, 0
}

// Each calls f with each one that waits and when it is due, in no order.
func (w *Waits[T]) Each(f func(of T, due time.Duration)) {
	for i := range w.all {
		f(w.all[i].of, w.all[i].due)
	}
}

// Take takes all that f chooses.
func (w *Waits[T]) Take(f func(T) bool) (taken []T) {
	rest := w.all[:0]
	for _, x := range w.all {
		if f(x.of) {
			taken = append(taken, x.of)
		} else {
			rest = append(rest, x)
		}
	}
	clear(w.all[len(rest):])
	w.all = rest
	heap.Init(&w.all)
	return taken
}

// waits is a heap, the one due first on top.
type waits[T any] []waiting[T]

func (w waits[T]) Len() int { return len(w) }

func (w waits[T]) Less(i, j int) bool {
	if w[i].due != w[j].due {
		return w[i].due < w[j].due
	}
	return w[i].place < w[j].place
}

func (w waits[T]) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

func (w *waits[T]) Push(x any) { *w = append(*w, x.(waiting[T])) }

func (w *waits[T]) Pop() any {
	n := len(*w) - 1
	x := (*w)[n]
	(*w)[n] = waiting[T]{}
	*w = (*w)[:n]
	return x
}
