package bulk

import "time"

// Limits are limits for tests of other packages.
type Limits struct {
	Window, PerDomain, Queued, Waiting, Ahead int
	WindowBytes, HeldBytes, RecentBytes       int64
	ProgressEvery                             time.Duration
}

// Within returns o with limits.
func (o Options) Within(l Limits) Options {
	o.limits = limits{
		window: l.Window, perDomain: l.PerDomain, queued: l.Queued, waiting: l.Waiting, ahead: l.Ahead,
		windowBytes: l.WindowBytes, heldBytes: l.HeldBytes, recentBytes: l.RecentBytes,
		progressEvery: l.ProgressEvery,
	}
	return o
}
