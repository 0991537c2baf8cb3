package bulk

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/feed"
)

// slowly is a verifier that answers when it is let.
type slowly struct{ let chan struct{} }

func (s slowly) Verify(context.Context, string) (rcpt.Result, error) {
	<-s.let
	return rcpt.Result{}, nil
}

// begun is a run of so many addresses of a domain whose mail host is known.
func begun(t *testing.T, o Options, addresses int) *run {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(o, nil)
	r.asking = t.Context()
	for range addresses {
		r.queue(&task{tries: feed.Tries{Answers: 1}, record: &record{item: Item{Email: "a@b.example"}}}, "b.example")
	}
	return r
}

// TestWhoWaitsMakesRoom checks that others start in the place of those who wait
// for a session, up to a limit, each batch with a worker, and that workers
// stay.
func TestWhoWaitsMakesRoom(t *testing.T) {
	verifier := slowly{make(chan struct{})}
	r := begun(t, Options{Verifier: OneByOne(verifier.Verify), Concurrency: 2, limits: limits{queued: 3}}, 50)
	defer r.stopWorkers()
	defer close(verifier.let)
	wantStarted := func(want int) {
		t.Helper()
		if err := r.advance(); err != nil || r.plan.Started() != want || r.workerCount < 1 || r.workerCount > 5 {
			t.Fatalf("%d are under way with %d workers (%v), want %d", r.plan.Started(), r.workerCount, err, want)
		}
	}
	wantStarted(2)
	r.caller.Wait(1)
	wantStarted(3)
	r.caller.Wait(10)
	wantStarted(5)
	r.caller.Wait(-11)
	for range 5 {
		verifier.let <- struct{}{}
		r.plan.Done((<-r.outcomes).task.planned)
	}
	wantStarted(2)
}

// atOnce is a Verifier that answers at once.
type atOnce struct{}

func (atOnce) Verify(context.Context, string) (rcpt.Result, error) {
	return rcpt.Result{}, nil
}

func (v atOnce) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	for i, address := range addresses {
		result, err := v.Verify(ctx, address)
		done(i, result, err)
	}
}

// TestWorkersStay checks that a worker that is done with a batch, or with a
// single address, takes the next.
func TestWorkersStay(t *testing.T) {
	for _, tt := range []struct{ concurrency, workers int }{{101, 3}, {100, 2}, {1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			r := begun(t, Options{Verifier: atOnce{}, Concurrency: tt.concurrency}, 10*tt.concurrency)
			defer r.stopWorkers()
			for range 10 {
				if err := r.advance(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if r.plan.Started() != tt.concurrency || len(r.outcomes) != tt.concurrency || r.workerCount > tt.workers || int(r.idle.Load()) != r.workerCount {
					t.Fatalf("%d of %d done by %d workers, %d free; want at most %+v", len(r.outcomes), r.plan.Started(), r.workerCount, r.idle.Load(), tt)
				}
				for range tt.concurrency {
					r.plan.Done((<-r.outcomes).task.planned)
				}
			}
		})
	}
}

// TestNewsOfWhoWaits checks that the run looks up when somebody begins to wait:
// nothing else may happen for long.
func TestNewsOfWhoWaits(t *testing.T) {
	r := begun(t, Options{Verifier: OneByOne(slowly{}.Verify), limits: limits{progressEvery: time.Hour}}, 0)
	r.alarm, r.ticker = time.NewTimer(time.Hour), time.NewTicker(time.Hour)
	defer r.alarm.Stop()
	defer r.ticker.Stop()
	r.caller.Wait(1)
	r.caller.Wait(1) // nobody is to wait for the run here
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.await(ctx); err != nil {
		t.Error(err)
	}
}

// TestQueuedLimit checks what the limit is by default.
func TestQueuedLimit(t *testing.T) {
	if o, err := (Options{Verifier: OneByOne(slowly{}.Verify), Concurrency: 7}).withDefaults(); o.limits.queued != 16*7 || err != nil {
		t.Errorf("%d by default (%v)", o.limits.queued, err)
	}
}

// TestOthersFollowAScout checks that the rest of a domain begins when the mail
// hosts of its first address are found, and not with its answer.
func TestOthersFollowAScout(t *testing.T) {
	verifier := slowly{make(chan struct{})}
	r := begun(t, Options{Verifier: OneByOne(verifier.Verify), Concurrency: 10}, 0)
	defer r.stopWorkers()
	defer close(verifier.let)
	first := &task{record: &record{item: Item{Email: "a@b.example"}}}
	for _, t := range []*task{first, {record: first.record}, {record: first.record}} {
		r.queue(t, "b.example")
	}
	wantStarted := func(want int) {
		t.Helper()
		err := r.takeWaiting(t.Context())
		if err == nil {
			err = r.advance()
		}
		if err != nil || r.plan.Started() != want {
			t.Fatalf("%d are under way (%v), want %d", r.plan.Started(), err, want)
		}
	}
	wantStarted(1)
	wantStarted(1)
	r.howFor(first.planned).Found()
	wantStarted(3)
}

// companyWait is longer than a small domain waits for company.
const companyWait = 6 * time.Second

// TestCompanyIsAwaitedByTheClock checks that a run has a small domain wait for
// company as long as it reads on, from when the domain came, and not for good.
func TestCompanyIsAwaitedByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier := slowly{make(chan struct{})}
		r := begun(t, Options{Verifier: OneByOne(verifier.Verify), Concurrency: 8}, 100)
		defer r.stopWorkers()
		defer close(verifier.let)
		advance := func(want int) {
			t.Helper()
			if err := r.advance(); err != nil {
				t.Fatal(err)
			}
			small := 0
			for range r.plan.Started() {
				verifier.let <- struct{}{}
				done := (<-r.outcomes).task.planned
				if done.Domain() == "small.example" {
					small++
				}
				r.plan.Done(done)
			}
			if small != want {
				t.Fatalf("after %v: %d of the small domain begun, want %d", r.now(), small, want)
			}
		}
		add := func() {
			r.queue(&task{tries: feed.Tries{Answers: 1}, record: &record{item: Item{Email: "a@small.example"}}}, "small.example")
		}
		time.Sleep(companyWait)
		r.beginAll()
		add()
		for range r.plan.Started() {
			verifier.let <- struct{}{}
			r.plan.Done((<-r.outcomes).task.planned)
		}
		advance(0)
		time.Sleep(companyWait)
		advance(1)
		add()
		r.endReading()
		advance(1)
	})
}
