package smtpprobe

import (
	"context"
	"time"
)

// budget is the time of one probe.
type budget struct {
	// end is when the time of the mail hosts is over; zero: never. It is put
	// off while the probe waits for a session: that wait is of our making, and
	// must neither take time from the host nor look like its silence.
	end    time.Time
	waited time.Duration // how long it was put off
	// limit is when the caller waits no longer; zero: it has no limit, or is a
	// list.
	limit time.Time
}

func startBudget(req *Request) budget {
	if req.Budget == 0 {
		return budget{}
	}
	b := budget{end: time.Now().Add(req.Budget)}
	if req.Caller == nil {
		b.limit = b.end
	}
	return b
}

// extend makes up for a wait.
func (b *budget) extend(d time.Duration) {
	b.waited += d
	if !b.end.IsZero() {
		b.end = b.end.Add(d)
	}
}

// part is ctx that ends with the time of the mail hosts, and no later than the
// caller waits, or halfway there if others are to have the rest.
func (b *budget) part(ctx context.Context, others bool) (context.Context, context.CancelFunc) {
	end := b.end
	if !b.limit.IsZero() { // it is not put off
		end = b.limit
	}
	switch {
	case end.IsZero():
		return context.WithCancel(ctx)
	case others:
		end = time.Now().Add(time.Until(end) / 2)
	}
	return context.WithDeadline(ctx, end)
}

// spent reports whether no time is left.
func (b *budget) spent() bool {
	now := time.Now()
	return passed(b.end, now) || passed(b.limit, now)
}

// passed reports whether a time is over; a zero one never is.
func passed(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
