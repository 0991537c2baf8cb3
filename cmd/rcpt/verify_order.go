package main

import (
	"context"
	"iter"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// window is how many addresses are verified at a time. The engine bounds the sessions per mail host; this bounds the memory for answers
// that wait for the one before them.
const window = 64

// answer is what came of a question. With an error the result says for people that there is none.
type answer struct {
	result engine.Result
	err    error
}

// inOrder verifies what questions ask, [window] at a time, and yields the answers in the order of the questions, each as soon as those
// before it are out. A reader that blocks does not hold up the answers to what was read before, nor the end when ctx is cancelled.
func inOrder(ctx context.Context, v verifier, questions iter.Seq[question]) iter.Seq[answer] {
	return func(yield func(answer) bool) {
		ctx, cancel := context.WithCancel(ctx)
		waiting := make(chan chan answer, window)
		defer drain(waiting, func(answer) bool { return true }) // so that no verification runs any more
		defer cancel()
		go ask(ctx, v, questions, waiting)
		for {
			select {
			case next, more := <-waiting:
				if !more || !yield(<-next) {
					return
				}
			case <-ctx.Done():
				drain(waiting, yield)
				return
			}
		}
	}
}

// ask starts a verification for each question and queues where its answer will be. The queue's capacity is what bounds them.
func ask(ctx context.Context, v verifier, questions iter.Seq[question], waiting chan<- chan answer) {
	defer close(waiting)
	for q := range questions {
		next := make(chan answer, 1)
		select {
		case waiting <- next:
			go func() { next <- answerTo(ctx, v, q) }()
		case <-ctx.Done():
			return
		}
	}
}

// drain yields the answers to what was asked before ctx was cancelled.
func drain(waiting <-chan chan answer, yield func(answer) bool) {
	for {
		select {
		case next, more := <-waiting:
			if !more || !yield(<-next) {
				return
			}
		default:
			return
		}
	}
}

func answerTo(ctx context.Context, v verifier, q question) answer {
	if q.err != nil {
		return answer{result: unanswerable(q), err: q.err}
	}
	result, err := engine.VerifyText(ctx, v, q.address)
	return answer{result: result, err: err}
}

// unanswerable is the record of a line that does not hold an address, so that every line has its answer.
func unanswerable(q question) engine.Result {
	return engine.Result{
		Email:   q.address,
		Verdict: engine.Unknown,
		Message: "Not verified: " + q.err.Error() + ".",
		Details: &engine.Details{Reason: engine.InternalError, CatchAll: engine.CatchAllUnknown, CheckedAt: time.Now().UTC()},
	}
}
