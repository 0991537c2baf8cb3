package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/sys/flight"
	"github.com/rcpt/rcpt/smtpprobe"
)

// VerifyOptions say how to verify. The zero value is that of [Verifier.Verify].
// A type that passes verifications on to a Verifier should pass the options on,
// too, or [VerifyOptions.Part] of them.
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
	// later call has the answer at once. So it does if ctx is cancelled. It is
	// for one address, without Waits and Lane.
	// Default: the caller waits until the end.
	Within time.Duration
	// Waits is called with true when the address with that index (0 for a
	// single one) begins to wait for a session with a busy mail host, and with
	// false when a session takes it or the wait ends, perhaps several times.
	// Callers that limit their verifications in progress need not count those
	// that wait. Such a verification fails with [ErrBusy] only where its Lane
	// holds it back, and is not shared with other callers. Waits must be quick
	// and must not call the Verifier. Default: nothing is called, and
	// [Config.MaxWaitingPerHost] limits how many wait.
	Waits func(i int, waits bool)
	// Lane is the place of a list, or of a client, at busy mail hosts. Calls
	// with the same Lane belong together, and lanes take turns. Addresses
	// without a lane come first. Default: none.
	//
	// Experimental: it may change in any minor version.
	Lane *Lane
}

// Part returns the options for some of the addresses of a call: those that have
// these indexes in it.
func (o VerifyOptions) Part(indexes []int) VerifyOptions {
	if waits := o.Waits; waits != nil {
		o.Waits = func(i int, yes bool) { waits(indexes[i], yes) }
	}
	return o
}

// queued is what the pool calls when an address waits, and waits no longer.
func (o VerifyOptions) queued(i int) func(waits bool) {
	if o.Waits == nil {
		return nil
	}
	return func(waits bool) { o.Waits(i, waits) }
}

// Lane tells the lists apart that are verified at the same time: where several
// of them wait for a mail host, they take turns, so that a small one does not
// wait behind a large one. Its MayWait may have an address fail with [ErrBusy]
// where many wait for a provider that is asked as much as it may be, so that
// addresses of other providers can be verified meanwhile.
//
// Experimental: it may change in any minor version.
type Lane = smtpprobe.Lane

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
	if o.Within > 0 && o.ofOneCaller() {
		return errors.New("engine: VerifyOptions.Within: the verification may outlive the caller of Waits and Lane")
	}
	return nil
}

// checkTogether is check for several addresses.
func (o VerifyOptions) checkTogether() error {
	if o.Within != 0 {
		return errors.New("engine: VerifyOptions.Within: is for one address")
	}
	return o.check()
}

// ofOneCaller reports whether other callers cannot share the verification.
func (o VerifyOptions) ofOneCaller() bool { return o.Waits != nil || o.Lane != nil }

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
	if o.Within == 0 && (v.config.Remember == 0 || o.ofOneCaller()) {
		v.VerifyTogether(ctx, []string{address}, o, func(_ int, r Result, e error) { result, err = r, e })
		return result, err
	}
	if !o.Fresh {
		if result, ok := v.Recall(ctx, address); ok {
			return result, nil
		}
	}
	level := o.level(v.config.Level)
	if o.Within > 0 {
		return v.within(ctx, level, address, o.Within)
	}
	return v.share(ctx, level, address)
}

// within verifies in a goroutine that outlives an impatient caller. It ends
// with the Verifier.
func (v *Verifier) within(ctx context.Context, level Level, address string, wait time.Duration) (Result, error) {
	type outcome struct {
		result Result
		err    error
	}
	answer := make(chan outcome, 1)
	detached, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
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
		return v.notCarriedOut(address, ErrNotYet), ErrNotYet
	case <-ctx.Done():
		err := fmt.Errorf("%w: %w", ErrNotYet, flight.Ended(ctx))
		return v.notCarriedOut(address, err), err
	}
}
