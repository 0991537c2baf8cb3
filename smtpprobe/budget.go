package smtpprobe

import (
	"context"
	"time"
)

// budget is the time of one probe. Its clock stands still while the probe waits
// for a free session: that wait is of our making, and must neither take time
// from the host nor be told as its silence.
type budget struct {
	end time.Time // zero: only the context bounds the probe
}

func startBudget(d time.Duration) budget {
	if d == 0 {
		return budget{}
	}
	return budget{end: time.Now().Add(d)}
}

// stoodStill makes up for a wait.
func (b *budget) stoodStill(d time.Duration) {
	if !b.end.IsZero() {
		b.end = b.end.Add(d)
	}
}

// part is ctx that ends with the budget, or halfway there if others are to have
// the rest.
func (b *budget) part(ctx context.Context, others bool) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !b.end.IsZero() && (!bounded || b.end.Before(end)) {
		end, bounded = b.end, true
	}
	switch {
	case !bounded:
		return context.WithCancel(ctx)
	case others:
		return context.WithTimeout(ctx, time.Until(end)/2)
	}
	return context.WithDeadline(ctx, end)
}

// spent reports whether the budget or ctx has no time left.
func (b *budget) spent(ctx context.Context) bool {
	return expired(ctx) || !b.end.IsZero() && !time.Now().Before(b.end)
}
