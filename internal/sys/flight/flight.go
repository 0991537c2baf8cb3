// Package flight lets callers that ask the same question at the same time share
// one call. Each keeps its own context: a caller that gives up does not end the
// call for the others, and a caller with more time than the call had asks once
// more if the call's answer is not settled.
//
// Only the standard library may be imported here: the engine is embedded in
// other programs.
package flight

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Answer is the outcome of a call.
type Answer[T any] struct {
	Value   T
	Err     error
	Settled bool // false: a call with more time might tell more
}

// final reports whether the answer is one for callers with more time, too. An
// error is, unless it is that the time of the call was over.
func (a *Answer[T]) final() bool {
	if a.Err != nil {
		return !errors.Is(a.Err, context.DeadlineExceeded)
	}
	return a.Settled
}

// Group is a set of calls, in which at most one for each key can be joined. The
// zero value is ready for use.
type Group[T any] struct {
	// Apart has each call run on a goroutine of its own, so that the caller
	// that began it returns as soon as it gives up. Otherwise that caller stays
	// until the end, so that a limit on callers limits calls, too.
	Apart bool

	mu     sync.Mutex
	active map[string]*call[T] // in progress, by key
}

// call is a call in progress. A panic of it surfaces in the caller that began
// it; the others get [ErrPanicked].
type call[T any] struct {
	key      string
	deadline time.Time // zero: none
	callers  int       // that have not given up
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when there is an answer
	answer   Answer[T]
	panicked string // what a call of its own goroutine panicked with, and where
}

// Do returns the answer of ask, or that of a call for the same key which ends
// within the caller's time (joined). If such a call told little and the caller
// has more time, Do asks once more. The context of ask has the values and the
// deadline of ctx, and ends when nobody waits for the answer any more.
func (g *Group[T]) Do(
	ctx context.Context, key string, ask func(context.Context) Answer[T],
) (answer Answer[T], joined bool) {
	for {
		c, callCtx := g.join(ctx, key)
		switch {
		case callCtx != nil:
			return g.run(ctx, callCtx, c, ask), false
		case c == nil:
			return ask(ctx), false
		case !c.wait(ctx):
			g.leave(c, context.Cause(ctx))
			return Answer[T]{Err: Ended(ctx)}, true
		case c.answer.final() || ctx.Err() != nil:
			return c.answer, true
		}
	}
}

// Detach lets the calls in progress end without being joined any more.
func (g *Group[T]) Detach() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.active)
}

// join returns the call for a key that ends within the caller's time. Without a
// call in progress, it begins one and also returns its context. If that call
// may outlast the caller, it returns neither: the caller asks alone.
func (g *Group[T]) join(ctx context.Context, key string) (*call[T], context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.active[key]; ok {
		if !c.endsWithin(ctx) {
			return nil, nil
		}
		c.callers++
		return c, nil
	}
	c := &call[T]{key: key, callers: 1, done: make(chan struct{})}
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c.cancel = cancel
	if deadline, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		c.deadline = deadline
		callCtx, stop = context.WithDeadline(callCtx, deadline)
		c.cancel = func(cause error) { cancel(cause); stop() }
	}
	if g.active == nil {
		g.active = map[string]*call[T]{}
	}
	g.active[key] = c
	return c, callCtx
}

func (c *call[T]) endsWithin(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || !c.deadline.IsZero() && !c.deadline.After(deadline)
}

// wait waits for the answer and reports false if the caller gave up first. A
// caller whose time has run out need not give up: the call has no more time
// either, and its answer tells what was found until then.
func (c *call[T]) wait(ctx context.Context) bool {
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

// ErrPanicked is the error of callers that shared a call which panicked.
var ErrPanicked = errors.New("the call that this one shared has failed")

// run carries a call out for the caller that began it.
func (g *Group[T]) run(
	ctx, callCtx context.Context, c *call[T], ask func(context.Context) Answer[T],
) Answer[T] {
	if g.Apart {
		return g.runApart(ctx, callCtx, c, ask)
	}
	stay := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			g.leave(c, context.Cause(ctx))
		}
	})
	defer stay()
	g.carryOut(callCtx, c, ask)
	return c.answer
}

func (g *Group[T]) runApart(
	ctx, callCtx context.Context, c *call[T], ask func(context.Context) Answer[T],
) Answer[T] {
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				c.panicked = fmt.Sprintf("%v\n\n%s", fault, debug.Stack())
			}
			close(c.done)
		}()
		g.carryOut(callCtx, c, ask)
	}()
	if !c.wait(ctx) {
		g.leave(c, context.Cause(ctx))
		return Answer[T]{Err: Ended(ctx)}
	}
	if c.panicked != "" {
		panic(c.panicked)
	}
	return c.answer
}

// carryOut asks, and ends the call even if that panics.
func (g *Group[T]) carryOut(callCtx context.Context, c *call[T], ask func(context.Context) Answer[T]) {
	defer func() {
		g.finish(c)
		c.cancel(nil)
		if !g.Apart {
			close(c.done)
		}
	}()
	c.answer.Err = ErrPanicked
	c.answer = ask(callCtx)
}

// leave removes a caller that gave up from the call. The last one cancels the
// call, which cannot be joined any more.
func (g *Group[T]) leave(c *call[T], cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.callers--; c.callers == 0 {
		c.cancel(cause)
		g.remove(c)
	}
}

// finish removes a call that has its answer.
func (g *Group[T]) finish(c *call[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(c)
}

func (g *Group[T]) remove(c *call[T]) {
	if g.active[c.key] == c {
		delete(g.active, c.key)
	}
}

// Ended returns why ctx has ended: an error that wraps ctx.Err() and the cause.
func Ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
