package flight_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/sys/flight"
)

type key struct{}

// TestDo checks that callers with enough time share one call with the values of
// the first, that a caller that gives up returns at once and ends nothing for
// the others, and that a call for another key runs beside it.
func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group flight.Group[string]
		calls := 0
		ask := func(ctx context.Context) flight.Answer[string] {
			calls++
			select {
			case <-ctx.Done():
				return flight.Answer[string]{Err: context.Cause(ctx)}
			case <-time.After(time.Second):
				return flight.Answer[string]{Value: ctx.Value(key{}).(string)}
			}
		}
		var all sync.WaitGroup
		for i, name := range []string{"first", "second", "third"} {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, name))
			if i == 1 {
				time.AfterFunc(time.Second/2, cancel)
			}
			all.Go(func() {
				defer cancel()
				began := time.Now()
				answer, joined := group.Do(ctx, "a", ask)
				switch took := time.Since(began); {
				case i == 1 && (!errors.Is(answer.Err, context.Canceled) || took != time.Second/2):
					t.Errorf("%s: %+v after %v", name, answer, took)
				case i != 1 && (answer.Value != "first" || answer.Err != nil || took != time.Second):
					t.Errorf("%s: %+v after %v", name, answer, took)
				case joined != (i > 0):
					t.Errorf("%s: joined %v", name, joined)
				}
			})
			synctest.Wait()
		}
		other, joined := group.Do(context.WithValue(t.Context(), key{}, "other"), "b", ask)
		all.Wait()
		if other.Value != "other" || joined || calls != 2 {
			t.Errorf("%+v, joined %v, %d calls", other, joined, calls)
		}
	})
}

// TestCause checks that the last caller which gives up hands its reason on.
func TestCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group flight.Group[int]
		why := errors.New("the visitor left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		answer, _ := group.Do(ctx, "a", func(ctx context.Context) flight.Answer[int] {
			<-ctx.Done()
			return flight.Answer[int]{Err: context.Cause(ctx)}
		})
		if !errors.Is(answer.Err, why) {
			t.Errorf("error %v", answer.Err)
		}
	})
}

// TestApart checks that the caller that began a call returns at once when it
// gives up, while the call goes on for the other.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := flight.Group[int]{Apart: true}
		ask := func(ctx context.Context) flight.Answer[int] {
			select {
			case <-ctx.Done():
				return flight.Answer[int]{Err: ctx.Err()}
			case <-time.After(time.Minute):
				return flight.Answer[int]{Value: 1}
			}
		}
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		all.Go(func() {
			answer, joined := group.Do(ctx, "a", ask)
			if !errors.Is(answer.Err, context.Canceled) || joined || time.Since(began) != time.Second {
				t.Errorf("the first: %+v, joined %v, after %v", answer, joined, time.Since(began))
			}
		})
		synctest.Wait()
		time.AfterFunc(time.Second, cancel)
		answer, joined := group.Do(t.Context(), "a", ask)
		if answer.Value != 1 || answer.Err != nil || !joined || time.Since(began) != time.Minute {
			t.Errorf("the second: %+v, joined %v, after %v", answer, joined, time.Since(began))
		}
		all.Wait()
	})
}

// TestPanic checks that a panic surfaces in the caller that began the call, and
// that the others get an error.
func TestPanic(t *testing.T) {
	for _, apart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			group := flight.Group[int]{Apart: apart}
			ask := func(context.Context) flight.Answer[int] {
				time.Sleep(time.Second)
				panic("a bug")
			}
			var all sync.WaitGroup
			all.Go(func() {
				defer func() {
					if fault, _ := recover().(string); !strings.HasPrefix(fault, "a bug") {
						t.Errorf("apart %v: panic %q", apart, fault)
					}
				}()
				group.Do(t.Context(), "a", ask)
			})
			synctest.Wait()
			if answer, _ := group.Do(t.Context(), "a", ask); !errors.Is(answer.Err, flight.ErrPanicked) {
				t.Errorf("apart %v: %+v", apart, answer)
			}
			all.Wait()
		})
	}
}
