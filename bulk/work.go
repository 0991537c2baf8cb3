package bulk

import (
	"errors"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/answered"
	"github.com/rcpt/rcpt/internal/given"
)

// outcome is the outcome of verifying a task's address.
type outcome struct {
	task       *task
	answer     *answer
	retryAfter time.Duration // when another try is worthwhile; zero: it is not
	err        error
}

// beginAll starts as many tasks as may be in progress, in batches.
func (r *run) beginAll() {
	r.plan.Now = r.now()
	if r.network.look(r.plan.Now) || r.drained {
		return
	}
	fed := r.options.limits.fed(r.options.Concurrency)
	for {
		batch := r.plan.Next(fed.Room(r.options.Room(), r.caller.Waiting()))
		if len(batch) == 0 {
			return
		}
		r.begin(batch)
	}
}

// begin hands a batch to a worker. There are as many workers as batches in
// progress, and the channel has room for all.
func (r *run) begin(batch []*planned) {
	r.work <- batch
	if r.idle.Load() > 0 {
		r.idle.Add(-1)
		return
	}
	r.workerCount++
	r.workers.Go(func() {
		for batch := range r.work {
			r.ask(batch)
		}
	})
}

// ask verifies a batch. The channel for outcomes has room for all, too. A
// worker that had one address counts as idle before its outcome comes.
func (r *run) ask(batch []*planned) {
	alone := len(batch) == 1
	emails := make([]string, len(batch))
	for i, t := range batch {
		emails[i] = r.options.address(t.Of.record.item)
	}
	var last outcome // of a task that is alone
	told := func(i int, result rcpt.Result, err error) {
		t := batch[i].Of
		batch[i] = nil // finished tasks are not kept until the slowest ends
		o := r.outcome(t, result, err)
		if alone {
			last = o
		} else {
			r.outcomes <- o
		}
	}
	r.options.Verifier.VerifyGroup(r.asking, emails, r.howFor(batch[0]), told)
	for i, t := range batch {
		if t != nil {
			told(i, rcpt.Result{Email: emails[i], Verdict: rcpt.VerdictUnknown}, errNoResult)
		}
	}
	r.idle.Add(1)
	if alone {
		r.outcomes <- last
	}
}

// errNoResult reports an address of which the Verifier told nothing.
var errNoResult = errors.New("bulk: the Verifier has returned without a result")

// howFor returns the options of verifying a batch that begins with first.
func (r *run) howFor(first *planned) engine.GroupOptions {
	o := r.how
	if first.Scouts {
		o.Found = func() { r.found <- first }
	}
	return o
}

func (r *run) outcome(t *task, result rcpt.Result, err error) outcome {
	result = answered.Result(t.record.item.Email, result, err)
	if r.options.Clean {
		result = given.With(result, t.record.item.Email)
	}
	o := outcome{task: t, answer: r.answer(result), err: err}
	if result.Verdict == rcpt.VerdictUnknown {
		o.retryAfter = result.RetryAfter()
	}
	return o
}

// answer is a result as the run keeps it.
func (r *run) answer(result rcpt.Result) *answer {
	return &answer{r.options.Trim(result)}
}

// stopWorkers waits for the workers; the context of their verifications has
// been cancelled if any is in progress.
func (r *run) stopWorkers() {
	close(r.work)
	r.workers.Wait()
	close(r.outcomes)
}
