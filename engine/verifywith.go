package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/queuing"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// VerifyOptions say how to verify one address. The zero value is that of
// [Verifier.Verify].
type VerifyOptions struct {
	// Level is how deep to look; it can only be less deep than [Config.Level],
	// and a remembered result may rest on more. Default: Config.Level.
	Level Level
	// Fresh asks the mail hosts even if a result is remembered. The new result
	// is remembered.
	Fresh bool
	// Within is how long the caller waits. If the result is not known by
	// then, the error is [ErrNotYet] and the verification goes on without its
	// caller, for [Config.Timeout] at most: where results are remembered, a
	// later call has the answer at once. So it does if ctx is cancelled.
	// Default: the caller waits until the end.
	Within time.Duration
}

// ErrNotYet means that there was no answer within [VerifyOptions.Within]. The
// verification goes on.
var ErrNotYet = errors.New("engine: there is no answer yet; the verification goes on")

// levels are those of [Level], the least deep first.
var levels = []Level{LevelSyntax, LevelDNS, LevelSMTP}

func (o VerifyOptions) check() error {
	if o.Level != "" && !slices.Contains(levels, o.Level) {
		return fmt.Errorf("engine: VerifyOptions.Level: %q is unknown: use syntax, dns or smtp", string(o.Level))
	}
	if o.Within < 0 {
		return fmt.Errorf("engine: VerifyOptions.Within: %v is negative", o.Within)
	}
	return nil
}

// level is how deep a verification with the options looks.
func (o VerifyOptions) level(most Level) Level {
	if at := slices.Index(levels, o.Level); at >= 0 && at < slices.Index(levels, most) {
		return o.Level
	}
	return most
}

// VerifyWith is [Verifier.Verify] with options. Where results are remembered,
// callers that verify the same address at the same time share a verification.
func (v *Verifier) VerifyWith(ctx context.Context, address string, o VerifyOptions) (result Result, err error) {
	if err := o.check(); err != nil {
		return v.notCarriedOut(address, err), err
	}
	if !o.Fresh {
		if result, ok := v.Recall(ctx, address); ok {
			return result, nil
		}
	}
	level := o.level(v.config.Level)
	switch {
	case o.Within > 0:
		return v.within(ctx, level, address, o.Within)
	case v.config.Remember > 0 && queuing.NoticeOf(ctx) == nil: // the callback belongs to one caller
		return v.share(ctx, level, address)
	}
	s := scope{v.lists.Load(), level}
	v.judgeAll(ctx, s, []string{address}, func(_ int, r Result, e error) { result, err = r, e })
	v.report(ctx, result, err)
	return result, err
}

// within verifies in a goroutine that outlives an impatient caller. It ends
// with the Verifier.
func (v *Verifier) within(ctx context.Context, level Level, address string, wait time.Duration) (Result, error) {
	type outcome struct {
		result Result
		err    error
	}
	answer := make(chan outcome, 1)
	detached, cancel := context.WithCancelCause(queuing.WithNotice(context.WithoutCancel(ctx), nil))
	stop := context.AfterFunc(v.base, func() { cancel(ErrClosed) })
	go func() {
		defer stop()
		defer cancel(nil)
		limited, end := context.WithTimeout(detached, v.config.Timeout)
		defer end()
		result, err := v.share(limited, level, address)
		answer <- outcome{result, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case o := <-answer:
		return o.result, o.err
	case <-timer.C:
		return v.notYet(address, ErrNotYet), ErrNotYet
	case <-ctx.Done():
		err := fmt.Errorf("%w: %w", ErrNotYet, flight.Ended(ctx))
		return v.notYet(address, err), err
	}
}

func (v *Verifier) notYet(address string, err error) Result {
	result := v.notCarriedOut(address, err)
	result.Message = "There is no answer yet; the verification goes on."
	return result
}
