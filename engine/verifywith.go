package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/flight"
	"github.com/rcpt/rcpt/smtpprobe"
)

// VerifyOptions say how to verify. The zero value is that of [Verifier.Verify].
type VerifyOptions struct {
	_ [0]func() // not comparable: fields may be added

	// Level is how deep to look; it can only be less deep than [Config.Level],
	// and a remembered result may rest on more. Default: Config.Level.
	Level Level
	// Fresh asks the mail hosts even if a result is remembered. The new result
	// is remembered. Default: what is remembered is used.
	Fresh bool
	// Clean takes what a person wrote: the address in the text is verified
	// ([address.Clean]), and Details.Given has the text if it is more than the
	// address. A text with several addresses or none has a result that says so,
	// and nobody is asked. Default: the text is the address.
	Clean bool
	// Timeout is the time limit, if it is less than [Config.Timeout]: the DNS
	// and the mail hosts have less time, and a busy host is not waited for as
	// long. Its end is a result without an error: what was found until then. An
	// unknown that more time might have changed is not remembered.
	// Default: Config.Timeout.
	Timeout time.Duration
	// Detach has the verification go on without its caller at the end of
	// Timeout or of ctx, for [Config.Timeout] at most. The error then is
	// [ErrNotYet]; where results are remembered ([Config.MaxRemembered]), a
	// later call has the answer at once. It is for one address at a time.
	// Default: the verification ends with its caller.
	Detach bool
}

// GroupOptions say how [Verifier.VerifyGroup] verifies. The zero value is that
// of [Verifier.Verify] for each address, except that they are not shared with
// other callers. A type that passes verifications on to a Verifier passes the
// options on, unchanged, with all of the addresses or with some.
type GroupOptions struct {
	Level Level // as VerifyOptions.Level
	Fresh bool  // as VerifyOptions.Fresh
	Clean bool  // as VerifyOptions.Clean
	// Timeout is as VerifyOptions.Timeout, for each address. With a Caller the
	// wait for a session does not count: a list would lose addresses.
	Timeout time.Duration
	// Caller is the list that the addresses are of. They wait for busy mail
	// hosts for as long as it takes, and fail with [ErrBusy] only where the
	// Caller says so. Calls with the same Caller belong together, and lists
	// take turns. Default: none. The addresses are single checks, which come
	// before all lists, and [Config.MaxWaitingPerHost] limits how many wait.
	//
	// Experimental: it may change in any minor version.
	Caller *Caller
	// Found is called when the mail hosts of the domain are known, and about to
	// be asked: other addresses of it need not wait for the DNS any more. It
	// must be quick. Default: nothing is called.
	//
	// Experimental: it may change in any minor version.
	Found func()
}

// Caller stands for a list. It says how many of its addresses may wait and when
// the list ends, and counts those that wait for a mail host: a list that limits
// its verifications in progress need not count these. A Verifier that never has
// addresses wait leaves it alone.
//
// Experimental: it may change in any minor version.
type Caller = smtpprobe.Caller

// ErrNotYet means that a verification with [VerifyOptions.Detach] has no answer
// yet. It goes on.
var ErrNotYet = errors.New("engine: there is no answer yet; the verification goes on")

// levels are those of [Level], the least deep first.
var levels = []Level{LevelSyntax, LevelDNS, LevelSMTP}

func (o VerifyOptions) check() error { return check("VerifyOptions", o.Level, o.Timeout) }

func (o GroupOptions) check() error { return check("GroupOptions", o.Level, o.Timeout) }

func check(options string, level Level, timeout time.Duration) error {
	if level != "" && !slices.Contains(levels, level) {
		return fmt.Errorf("engine: %s.Level: %q is unknown: use syntax, dns or smtp", options, string(level))
	}
	if timeout < 0 {
		return fmt.Errorf("engine: %s.Timeout: %v is negative", options, timeout)
	}
	return nil
}

// atMost is the less deep one of a level and the most that is configured.
func (l Level) atMost(most Level) Level {
	if at := slices.Index(levels, l); at >= 0 && at < slices.Index(levels, most) {
		return l
	}
	return most
}

// VerifyWith is [Verifier.Verify] with options. Where results are remembered,
// callers that verify the same address at the same time share a verification.
func (v *Verifier) VerifyWith(ctx context.Context, address string, o VerifyOptions) (result rcpt.Result, err error) {
	if err := o.check(); err != nil {
		return v.notCarriedOut(address, err), err
	}
	how := GroupOptions{Level: o.Level, Fresh: o.Fresh, Clean: o.Clean}
	if !o.Detach {
		how.Timeout = o.Timeout
	}
	if !o.Detach && v.config.MaxRemembered == 0 {
		v.VerifyGroup(ctx, []string{address}, how, func(_ int, r rcpt.Result, e error) { result, err = r, e })
		return result, err
	}
	mailbox, result, known := v.known(ctx, address, how)
	if known {
		return result, nil
	}
	ask := func(ctx context.Context) (rcpt.Result, error) {
		result, err := v.share(ctx, mailbox, how)
		result = how.given(result, address)
		v.report(ctx, result, err)
		return result, err
	}
	if !o.Detach {
		return ask(ctx)
	}
	result, err = v.detached(ctx, o.Timeout, ask)
	if errors.Is(err, ErrNotYet) {
		result = how.given(v.notCarriedOut(mailbox, err), address)
	}
	return result, err
}

// detached calls ask in a goroutine that outlives an impatient caller. It ends
// with the Verifier. Wait zero is no limit.
func (v *Verifier) detached(
	ctx context.Context, wait time.Duration, ask func(context.Context) (rcpt.Result, error),
) (rcpt.Result, error) {
	type outcome struct {
		result rcpt.Result
		err    error
	}
	answer := make(chan outcome, 1)
	apart, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(v.base, func() { cancel(ErrClosed) })
	go func() {
		defer stop()
		defer cancel(nil)
		result, err := ask(apart)
		answer <- outcome{result, err}
	}()
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case o := <-answer:
		return o.result, o.err
	case <-over:
		return rcpt.Result{}, ErrNotYet
	case <-ctx.Done():
		return rcpt.Result{}, fmt.Errorf("%w: %w", ErrNotYet, flight.Ended(ctx))
	}
}

// With returns a Verifier whose Verify is [Verifier.VerifyWith] with these
// options. It uses v, which is to be closed in the end.
func (v *Verifier) With(o VerifyOptions) rcpt.Verifier { return view{v, o} }

type view struct {
	verifier *Verifier
	options  VerifyOptions
}

// Verify implements [rcpt.Verifier].
func (w view) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return w.verifier.VerifyWith(ctx, address, w.options)
}
