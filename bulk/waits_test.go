package bulk

import (
	"testing"
	"time"
)

func TestWaits(t *testing.T) {
	var w waits
	for n := range 100 { // in no order; every third has an answer
		w.add(&task{place: int64(n), due: time.Duration(n*37%100) * time.Second, tries: tried{answers: uint16(n%3) / 2}})
	}
	if answered := w.takeAnswered(); len(answered) != 33 {
		t.Errorf("%d have an answer", len(answered))
	}
	if early := w.due(-1); early != nil {
		t.Errorf("due too early: %+v", early)
	}
	last, count := time.Duration(-1), 0
	for next := w.due(time.Hour); next != nil; next = w.due(time.Hour) {
		if next.due < last || next.tries.answers > 0 {
			t.Errorf("due at %v after %v", next.due, last)
		}
		last = next.due
		count++
	}
	if count != 67 {
		t.Errorf("%d are left", count)
	}
}
