package feed

import (
	"testing"
	"time"
)

func TestWaits(t *testing.T) {
	var w Waits[int]
	for n := range 100 { // in no order
		w.Add(n, time.Duration(1+n*37%100)*time.Second, int64(n))
	}
	if taken := w.Take(func(n int) bool { return n%3 == 2 }); len(taken) != 33 {
		t.Errorf("%d are taken", len(taken))
	}
	if early, is, next := w.Due(0); is || next != time.Second {
		t.Errorf("due too early: %d; the next is due at %v", early, next)
	}
	all := map[int]time.Duration{}
	w.Each(func(n int, due time.Duration) { all[n] = due })
	last := time.Duration(0)
	for n, is, _ := w.Due(time.Hour); is; n, is, _ = w.Due(time.Hour) {
		if all[n] < last || n%3 == 2 {
			t.Errorf("%d is due at %v, after %v", n, all[n], last)
		}
		last = all[n]
		delete(all, n)
	}
	if _, is, next := w.Due(time.Hour); len(all) != 0 || w.Len() != 0 || is || next != 0 {
		t.Errorf("%d are left, %d wait, the next is due at %v", len(all), w.Len(), next)
	}
}

// TestWaitsInOrder checks that of those that are due at the same time the first
// in the list comes first.
func TestWaitsInOrder(t *testing.T) {
	var w Waits[int64]
	for n := range int64(50) {
		w.Add(n*37%50, time.Second, n*37%50)
	}
	for want := range int64(50) {
		if n, _, _ := w.Due(time.Second); n != want {
			t.Fatalf("%d comes in the place of %d", n, want)
		}
	}
}
