package verdicts

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// answer is what came of a verification.
type answer struct {
	result  engine.Result
	err     error
	settled bool // false: with more time there could have been more to say
}

// flights lets callers who ask about the same mailbox at the same time share a verification.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight // way
}

// flight is a verification under way. It runs on the goroutine of the caller who began it, which stays for the others if that caller leaves: so what
// limits callers limits verifications, and a panic comes out where somebody looks for it.
type flight struct {
	mailbox  string
	deadline time.Time // zero: none
	callers  int       // who are there still
	cancel   context.CancelFunc
	done     chan struct{} // closed when there is an answer
	answer   answer
}

// do returns the answer to ask, or that of a flight about the mailbox which ends within the caller's time (joined). A caller who has more time than
// a flight that told little asks once more.
func (fs *flights) do(ctx context.Context, mailbox string, ask func(context.Context) answer) (a answer, joined bool) {
	for {
		f, flying := fs.join(ctx, mailbox)
		switch {
		case flying != nil:
			return fs.fly(ctx, flying, f, ask), false
		case f == nil:
			return ask(ctx), false
		case !f.wait(ctx):
			fs.leave(f)
			return answer{err: ctx.Err()}, true
		case f.answer.settled || f.answer.err != nil || ctx.Err() != nil:
			return f.answer, true
		}
	}
}

// join finds the flight about a mailbox that ends within the caller's time. Where there is none, it begins one and returns its context, too; neither:
// the one that is under way may outlast the caller, who does better alone.
func (fs *flights) join(ctx context.Context, mailbox string) (*flight, context.Context) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.under[mailbox]; ok {
		if !f.endsWithin(ctx) {
			return nil, nil
		}
		f.callers++
		return f, nil
	}
	f := &flight{mailbox: mailbox, callers: 1, done: make(chan struct{})}
	// Whose queueing would be told to a caller's callback is not clear once the caller has left.
	flying := engine.WithQueued(context.WithoutCancel(ctx), nil)
	if deadline, ok := ctx.Deadline(); ok {
		f.deadline = deadline
		flying, f.cancel = context.WithDeadline(flying, deadline)
	} else {
		flying, f.cancel = context.WithCancel(flying)
	}
	if fs.under == nil {
		fs.under = map[string]*flight{}
	}
	fs.under[mailbox] = f
	return f, flying
}

func (f *flight) endsWithin(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return !ok || !f.deadline.IsZero() && !f.deadline.After(deadline)
}

// wait waits for the answer; false: the caller has left before. Who has only run out of time need not leave: the flight has no more, and its answer
// tells what was found until then.
func (f *flight) wait(ctx context.Context) bool {
	select {
	case <-f.done:
		return true
	case <-ctx.Done():
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false
	}
	<-f.done
	return true
}

// errBroken is the error of those who shared a verification that ended in a panic.
var errBroken = errors.New("the verification that this one shared has failed")

// fly carries a flight out for the caller who began it.
func (fs *flights) fly(ctx, flying context.Context, f *flight, ask func(context.Context) answer) answer {
	stay := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			fs.leave(f)
		}
	})
	defer func() {
		stay()
		fs.land(f)
		f.cancel()
		close(f.done)
	}()
	f.answer.err = errBroken
	f.answer = ask(flying)
	return f.answer
}

// leave is for a caller who waits no longer. The last one ends the flight, which nobody joins any more then.
func (fs *flights) leave(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.callers--; f.callers == 0 {
		f.cancel()
		fs.remove(f)
	}
}

// land takes a flight that has an answer off the list.
func (fs *flights) land(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.remove(f)
}

// detach lets what is under way end without anybody joining it any more.
func (fs *flights) detach() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	clear(fs.under)
}

func (fs *flights) remove(f *flight) {
	if fs.under[f.mailbox] == f {
		delete(fs.under, f.mailbox)
	}
}
