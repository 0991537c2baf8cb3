package verdictcache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// answer is the outcome of a verification.
type answer struct {
	result  engine.Result
	err     error
	settled bool // false: a verification with more time might tell more
}

// calls lets callers that ask about one mailbox at the same time share a
// verification.
type calls struct {
	mu     sync.Mutex
	active map[string]*call // in progress, by mailbox
}

// call is a verification in progress. It runs on the goroutine of the caller
// that began it, which stays until the end even if that caller has given up.
// So a limit on callers limits verifications too, and a panic surfaces in the
// caller.
type call struct {
	mailbox  string
	deadline time.Time // zero: none
	callers  int       // that have not given up
	cancel   context.CancelFunc
	done     chan struct{} // closed when there is an answer
	answer   answer
}

// do returns the answer of ask, or that of a call about the mailbox which ends
// within the caller's time (joined). If such a call told little and the caller
// has more time, do asks once more.
func (cs *calls) do(ctx context.Context, mailbox string, ask func(context.Context) answer) (a answer, joined bool) {
	for {
		c, callCtx := cs.join(ctx, mailbox)
		switch {
		case callCtx != nil:
			return cs.run(ctx, callCtx, c, ask), false
		case c == nil:
			return ask(ctx), false
		case !c.wait(ctx):
			cs.leave(c)
			return answer{err: ctx.Err()}, true
		case c.answer.settled || c.answer.err != nil || ctx.Err() != nil:
			return c.answer, true
		}
	}
}

// join returns the call about a mailbox that ends within the caller's time. If
// there is none it begins one and also returns its context. If the call in
// progress may outlast the caller, it returns neither: the caller asks alone.
func (cs *calls) join(ctx context.Context, mailbox string) (*call, context.Context) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c, ok := cs.active[mailbox]; ok {
		if !c.endsWithin(ctx) {
			return nil, nil
		}
		c.callers++
		return c, nil
	}
	c := &call{mailbox: mailbox, callers: 1, done: make(chan struct{})}
	// The callback belongs to one caller, and the call may outlive it.
	callCtx := engine.WithQueued(context.WithoutCancel(ctx), nil)
	if deadline, ok := ctx.Deadline(); ok {
		c.deadline = deadline
		callCtx, c.cancel = context.WithDeadline(callCtx, deadline)
	} else {
		callCtx, c.cancel = context.WithCancel(callCtx)
	}
	if cs.active == nil {
		cs.active = map[string]*call{}
	}
	cs.active[mailbox] = c
	return c, callCtx
}

func (c *call) endsWithin(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || !c.deadline.IsZero() && !c.deadline.After(deadline)
}

// wait waits for the answer and reports false if the caller gave up first. A
// caller whose time has run out need not give up: the call has no more time
// either, and its answer tells what was found until then.
func (c *call) wait(ctx context.Context) bool {
	select {
	case <-c.done:
		return true
	case <-ctx.Done():
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false
	}
	<-c.done
	return true
}

// errBroken is the error of callers that shared a verification which panicked.
var errBroken = errors.New("the verification that this one shared has failed")

// run carries a call out for the caller that began it.
func (cs *calls) run(ctx, callCtx context.Context, c *call, ask func(context.Context) answer) answer {
	stay := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cs.leave(c)
		}
	})
	defer func() {
		stay()
		cs.finish(c)
		c.cancel()
		close(c.done)
	}()
	c.answer.err = errBroken
	c.answer = ask(callCtx)
	return c.answer
}

// leave removes a caller that gave up from the call. The last one cancels the
// call, which cannot be joined any more.
func (cs *calls) leave(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.callers--; c.callers == 0 {
		c.cancel()
		cs.remove(c)
	}
}

// finish removes a call that has its answer.
func (cs *calls) finish(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.remove(c)
}

// detach lets the calls in progress end without being joined any more.
func (cs *calls) detach() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	clear(cs.active)
}

func (cs *calls) remove(c *call) {
	if cs.active[c.mailbox] == c {
		delete(cs.active, c.mailbox)
	}
}
