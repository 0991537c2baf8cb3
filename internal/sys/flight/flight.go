// Package flight lets callers that ask the same question at the same time share
// one call. Each keeps its own context: a caller that gives up does not end the
// call for the others. How long a call may take is a part of the question.
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
)

// Answer is the outcome of a call.
type Answer[T any] struct {
	Value T
	Err   error
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
	callers  int // that have not given up
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when there is an answer
	answer   Answer[T]
	panicked string // what a call of its own goroutine panicked with, and where
}

// Do returns the answer of ask, or that of a call in progress for the same key
// (joined). The context of ask has the values of ctx, and ends when nobody
// waits for the answer any more.
func (g *Group[T]) Do(
	ctx context.Context, key string, ask func(context.Context) Answer[T],
) (answer Answer[T], joined bool) {
	c, callCtx := g.join(ctx, key)
	if callCtx != nil {
		return g.run(ctx, callCtx, c, ask), false
	}
	return g.wait(ctx, c), true
}

// Detach lets the calls in progress end without being joined any more.
func (g *Group[T]) Detach() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.active)
}

// join returns the call for a key. Without one in progress, it begins one and
// also returns its context.
func (g *Group[T]) join(ctx context.Context, key string) (*call[T], context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.active[key]; ok {
		c.callers++
		return c, nil
	}
	c := &call[T]{key: key, callers: 1, done: make(chan struct{})}
	var callCtx context.Context
	callCtx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if g.active == nil {
		g.active = map[string]*call[T]{}
	}
	g.active[key] = c
	return c, callCtx
}

// wait waits for the answer, unless the caller gives up first.
func (g *Group[T]) wait(ctx context.Context, c *call[T]) Answer[T] {
	select {
	case <-c.done:
		return c.answer
	case <-ctx.Done():
		g.leave(c, context.Cause(ctx))
		return Answer[T]{Err: Ended(ctx)}
	}
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
	stay := context.AfterFunc(ctx, func() { g.leave(c, context.Cause(ctx)) })
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
	answer := g.wait(ctx, c)
	if errors.Is(answer.Err, ErrPanicked) && c.panicked != "" {
		panic(c.panicked)
	}
	return answer
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
