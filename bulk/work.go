package bulk

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// outcome is what came of asking about a task's address.
type outcome struct {
	task       *task
	answer     *answer
	retryAfter time.Duration // when asking again is worth it; zero: it is not
	err        error
}

// startWorkers starts as many goroutines as may ask at a time. Both channels have room for all of them.
func (r *run) startWorkers(ctx context.Context) {
	for range r.options.Concurrency {
		r.workers.Go(func() {
			for t := range r.work {
				r.outcomes <- r.ask(ctx, t)
			}
		})
	}
}

func (r *run) ask(ctx context.Context, t *task) outcome {
	result, err := r.options.Verifier.Verify(ctx, t.record.item.Email)
	o := outcome{task: t, answer: &answer{}, err: err}
	if d := result.Details; d != nil {
		o.answer.reason = d.Reason
		if result.Verdict == engine.Unknown {
			o.retryAfter = time.Duration(d.RetryAfter) * time.Second
		}
	}
	o.answer.result = r.options.Trim(result)
	return o
}

// stopWorkers waits for those who ask; the context of their verifications has been cancelled if any is under way.
func (r *run) stopWorkers() {
	close(r.work)
	r.workers.Wait()
	close(r.outcomes)
}
