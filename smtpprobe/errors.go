package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrBusy says that too many wait for a session with a mail host: a limit of
// ours, which tells nothing about the host or the mailbox.
var ErrBusy = errors.New("smtpprobe: no session with this mail host became free")

// ErrClosed says that the pool was closed.
var ErrClosed = errors.New("smtpprobe: the pool is closed")

// errMoved is the error of a job whose egress was removed before it was asked.
var errMoved = errors.New("smtpprobe: the egress was removed")

// busy is the error of a job that may not wait.
func busy(j *job) error { return fmt.Errorf("%w (%s): too many wait", ErrBusy, j.route.addr.Addr()) }

// leftOut is the error of a job whose list ended while it waited.
func leftOut(j *job) error { return fmt.Errorf("%w (%s): the list ends", ErrBusy, j.route.addr.Addr()) }

// HeldBackError says that a provider is asked as much as it may be, and that
// many wait for it already. It wraps [ErrBusy].
type HeldBackError struct {
	Provider   string        // its pacing name
	RetryAfter time.Duration // nobody has a turn before; zero: that is not known
	err        error
}

func (e *HeldBackError) Error() string { return e.err.Error() + " for " + e.Provider }

// Unwrap returns an error that wraps [ErrBusy].
func (e *HeldBackError) Unwrap() error { return e.err }

// gaveUp returns an error if ctx has ended: one that wraps ctx.Err() and the
// cause. That a caller waits no longer says nothing about any host.
func gaveUp(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(cause, err):
		return fmt.Errorf("smtpprobe: %w", cause)
	}
	return fmt.Errorf("smtpprobe: %w: %w", err, cause)
}
