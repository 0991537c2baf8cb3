// Package queuing has what a context tells the engine about the wait for
// sessions with busy mail hosts, for package bulk and the service, and what the
// service tells package bulk.
package queuing

import "context"

// queuedKey is the key of what [WithNotice] puts into a context.
type queuedKey struct{}

// WithNotice returns a context under which a verification reports when it
// begins to wait for a session with a busy mail host (queued is called with
// true) and when a session takes it or the wait ends (false), perhaps several
// times. Callers that limit their concurrent verifications need not count those
// that wait. Such a verification fails with engine.ErrBusy only under
// [WithHoldBack]. Queued must be quick and must not call the Verifier.
func WithNotice(ctx context.Context, queued func(waits bool)) context.Context {
	return context.WithValue(ctx, queuedKey{}, queued)
}

// holdBackKey is the key of what [WithHoldBack] puts into a context.
type holdBackKey struct{}

// WithHoldBack returns a context under which a verification that would begin to
// wait for its turn ([WithNotice]) fails with a smtpprobe.HeldBackError, which
// wraps engine.ErrBusy, where more wait for the same provider already than most
// returns. Callers that limit how many wait can verify addresses of other
// providers meanwhile, and this one later. If most is how many more may wait,
// no number of busy providers takes all the room. It must be quick and must not
// call the Verifier.
//
// At a mail host, the verifications under one such context take turns with
// those under others, so that a small list does not wait behind a large one.
func WithHoldBack(ctx context.Context, most func() int) context.Context {
	return context.WithValue(ctx, holdBackKey{}, HoldBack{most, new(int)})
}

// HoldBack is what [WithHoldBack] puts into a context.
type HoldBack struct {
	Most func() int
	List *int // is another for each call
}

// HoldBackOf returns what [WithHoldBack] put into ctx.
func HoldBackOf(ctx context.Context) HoldBack {
	found, _ := ctx.Value(holdBackKey{}).(HoldBack)
	return found
}

// NoticeOf returns what [WithNotice] put into ctx.
func NoticeOf(ctx context.Context) func(waits bool) {
	queued, _ := ctx.Value(queuedKey{}).(func(waits bool))
	return queued
}

// reuseKey is the key of what [WithoutReuse] puts into a context.
type reuseKey struct{}

// WithoutReuse returns a context under which a run of package bulk verifies an
// address again that comes when an earlier item with it is done.
func WithoutReuse(ctx context.Context) context.Context {
	return context.WithValue(ctx, reuseKey{}, true)
}

// WithoutReuseOf reports whether ctx is from [WithoutReuse].
func WithoutReuseOf(ctx context.Context) bool { return ctx.Value(reuseKey{}) != nil }

// shareKey is the key of what [WithShare] puts into a context.
type shareKey struct{}

// WithShare returns a context under which a run of package bulk has no more of
// its verifications in progress than room returns at the moment, so that
// several runs can share them. It is called often, must be quick, and a larger
// number is noticed within a second.
func WithShare(ctx context.Context, room func() int) context.Context {
	return context.WithValue(ctx, shareKey{}, room)
}

// ShareOf returns what [WithShare] put into ctx, or nil.
func ShareOf(ctx context.Context) func() int {
	room, _ := ctx.Value(shareKey{}).(func() int)
	return room
}
