package sandbox

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/exchange"
)

// Verifier answers as an [engine.Verifier] does, without asking anybody. It is
// safe for concurrent use.
type Verifier struct{}

// VerifyWith returns the result of an address, as late as its row says. The
// error is [engine.ErrBusy] for the address that stands for it, as callers look
// for that.
func (Verifier) VerifyWith(ctx context.Context, text string, o engine.VerifyOptions) (rcpt.Result, error) {
	result, err := verify(ctx, text, o.Timeout)
	if err == nil && result.Reason == rcpt.ReasonBusy {
		err = engine.ErrBusy
	}
	return result, err
}

// VerifyGroup returns the results of addresses that wait at the same time. What
// was not carried out has no error, so that nobody tries it again.
func (Verifier) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions,
	done func(i int, result rcpt.Result, err error),
) {
	var all sync.WaitGroup
	for i, text := range addresses {
		all.Go(func() {
			result, err := verify(ctx, text, o.Timeout)
			done(i, result, err)
		})
	}
	all.Wait()
}

func verify(ctx context.Context, text string, limit time.Duration) (rcpt.Result, error) {
	if limit <= 0 {
		limit = longest
	}
	result, wait := answerTo(text, time.Now(), limit)
	if wait == 0 {
		return result, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return result, nil
	case <-ctx.Done():
		return rcpt.Result{}, ctx.Err()
	}
}

// Recall remembers nothing.
func (Verifier) Recall(context.Context, string) (rcpt.Result, bool) { return rcpt.Result{}, false }

// Error is an answer of the API that is no result.
type Error struct {
	Status int
	Code   exchange.Code
}

func (e *Error) Error() string { return "a test key asks for the error " + string(e.Code) }

// ErrorOf returns the *[Error] for which an address stands, or nil.
func ErrorOf(text string) error {
	mailbox, err := address.Read(text)
	if err != nil {
		return nil
	}
	if row := rowOf(mailbox.Local()); row.Status != 0 {
		return &Error{row.Status, row.Code}
	}
	return nil
}
