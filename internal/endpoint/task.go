package endpoint

import (
	"context"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
)

// task is a verification in progress, on a goroutine of its own, which can
// outlive its request.
type task struct {
	deadline time.Time
	cancel   context.CancelCauseFunc
	done     chan struct{}   // closed when the work has ended
	fault    *exchange.Panic // then: what it panicked with; nil: it did not
}

// overtime is how long a Verifier may take to note that its time is over,
// before its context ends: then there would be no result.
const overtime = time.Second

// startTask begins work for a request, which ends by itself within the limit.
// The end of the request does not end it.
func startTask(r *http.Request, limit time.Duration, work func(ctx context.Context)) *task {
	detached, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	ctx, stop := context.WithTimeout(detached, limit+overtime)
	t := &task{deadline: time.Now().Add(limit), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer cancel(nil)
		defer stop()
		t.fault = exchange.Guarded(func() { work(ctx) })
	}()
	return t
}

// await waits for the end of a task, and reports false if the client has gone
// before. A panic of the task surfaces here.
func (t *task) await(r *http.Request) bool {
	select {
	case <-t.done:
	case <-r.Context().Done():
		return false
	}
	if t.fault != nil {
		panic(t.fault) // on the request's goroutine, where panics are handled
	}
	return r.Context().Err() == nil
}
