package jobs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPlaces: an owner gets a share of the places, all together get all of
// them, and a place that becomes free goes to one that waits.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces("lists", 3, 2)
		take := func(owner string) (func(), *BusyError) {
			give, err := p.take(t.Context(), owner)
			var busy *BusyError
			errors.As(err, &busy)
			return give, busy
		}
		first, _ := take("a")
		second, _ := take("a")
		if _, busy := take("a"); busy == nil || !busy.Own || busy.Most != 2 {
			t.Errorf("a third of one owner: %v", busy)
		}
		third, _ := take("b")
		if _, busy := take("c"); busy == nil || busy.Own || busy.Most != 3 {
			t.Errorf("a fourth in all: %v", busy)
		}
		began := time.Now()
		time.AfterFunc(time.Second, first)
		fourth, busy := take("c")
		if waited := time.Since(began); busy != nil || waited != time.Second {
			t.Errorf("%v after %v", busy, waited)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.take(ctx, "d"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		for _, give := range []func(){first, second, third, fourth, fourth} {
			give()
		}
		if p.taken != 0 || len(p.of) != 0 {
			t.Errorf("%d are taken, %v", p.taken, p.of)
		}
	})
}
