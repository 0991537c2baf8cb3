package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/flight"
	"github.com/rcpt/rcpt/smtpprobe"
)

// ErrBusy means that a verification was not carried out because too many others
// wait for a session with the mail host ([Config.MaxWaitingPerHost], Most of a
// [Caller]).
var ErrBusy = errors.New("engine: no session with the mail host became free")

// ErrClosed means that a verification was not carried out because the
// [Verifier] was closed.
var ErrClosed = errors.New("engine: the Verifier is closed")

// errorReasons are the errors that are no fault of ours, each with its reason.
// The first that fits counts: a context ends with the Verifier, too.
var errorReasons = []struct {
	err    error
	reason rcpt.Reason
}{
	{ErrNotYet, rcpt.ReasonNotYet},
	{ErrClosed, rcpt.ReasonClosed},
	{ErrBusy, rcpt.ReasonBusy},
	{context.Canceled, rcpt.ReasonUnfinished},
	{context.DeadlineExceeded, rcpt.ReasonUnfinished},
}

// ReasonOf returns the reason of the result beside an error of a [Verifier],
// for wrappers and fakes that return errors of their own. It is empty for nil,
// and for a fault of ours, whose reason is [rcpt.ReasonInternalError].
func ReasonOf(err error) rcpt.Reason {
	for _, fault := range errorReasons {
		if errors.Is(err, fault.err) {
			return fault.reason
		}
	}
	return ""
}

// notCarriedOut returns why there is no answer; empty: there is one.
func (e *Evidence) notCarriedOut() rcpt.Reason {
	if e.Schema <= EvidenceSchema && e.Fault == "" {
		return ""
	}
	for _, fault := range errorReasons {
		if fault.reason == e.FaultReason {
			return e.FaultReason
		}
	}
	return rcpt.ReasonInternalError
}

// ended returns why ctx has ended, and what for; nil: it has not.
func ended(ctx context.Context, what string) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("engine: %s: %w", what, flight.Ended(ctx))
}

// ownError is an error of a package that this one uses, in the words of this
// one.
type ownError struct{ error }

// inside are the packages whose errors come out of this one.
var inside = []string{"smtpprobe: ", "dnsresolve: "}

// own returns an error as one of this package.
func own(err error) error {
	for _, name := range inside {
		if err != nil && strings.HasPrefix(err.Error(), name) {
			return ownError{err}
		}
	}
	return err
}

func (e ownError) Error() string {
	_, text, _ := strings.Cut(e.error.Error(), ": ")
	return "engine: " + text
}

func (e ownError) Unwrap() error { return e.error }

// Is reports whether the error is what target is called inside.
func (e ownError) Is(target error) bool {
	switch target {
	case ErrBusy:
		return errors.Is(e.error, smtpprobe.ErrBusy)
	case ErrClosed:
		return errors.Is(e.error, smtpprobe.ErrClosed)
	}
	return false
}
