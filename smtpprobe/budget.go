package smtpprobe

import (
	"context"
	"time"
)

// budget is the time of one probe. Its clock stands still while the probe waits for a free session: that wait is of our making, and must
// neither take time from the host nor be told as its silence.
type budget struct {
	end time.Time // zero: only the context bounds the probe
}

func startBudget(d time.Duration) *budget {
	if d == 0 {
		return &budget{}
	}
	return &budget{end: time.Now().Add(d)}
}

// stoodStill makes up for a wait.
func (b *budget) stoodStill(d time.Duration) {
	if !b.end.IsZero() {
		b.end = b.end.Add(d)
	}
}

// bound is ctx that ends with the budget.
func (b *budget) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, b.end)
}

// spent reports whether the budget or ctx has no time left.
func (b *budget) spent(ctx context.Context) bool {
	return expired(ctx) || !b.end.IsZero() && !time.Now().Before(b.end)
}
