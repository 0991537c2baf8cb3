package engine

import "context"

// queuedKey is the key of what [WithQueued] puts into a context.
type queuedKey struct{}

// WithQueued returns a context under which a verification tells when it begins to wait for a session with a mail host that others have busy (true),
// and when it is asked about or, if it goes along in the transaction of another, that is over (false), perhaps several times. Who limits how many
// verifications are under way need not count those that wait, and is not turned away with [ErrBusy], however many these are.
// Queued must be quick, and must not call the Verifier.
func WithQueued(ctx context.Context, queued func(waits bool)) context.Context {
	return context.WithValue(ctx, queuedKey{}, queued)
}

func queuedOf(ctx context.Context) func(waits bool) {
	queued, _ := ctx.Value(queuedKey{}).(func(waits bool))
	return queued
}
