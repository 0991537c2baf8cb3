package verdictcache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
)

const (
	// recheckEvery is the interval at which due addresses are looked for:
	// greylisting takes minutes.
	recheckEvery = 2 * time.Second
	// recheckLate is added to the mail host's hint: many hosts count whole
	// seconds, or a little more than they say.
	recheckLate = 5 * time.Second
	// rechecksAtOnce limits concurrent re-checks, so that callers come first.
	rechecksAtOnce = 32
	// recheckTries and [Config.RecheckFor] limit how often, and for how long,
	// an address is re-checked. RFC 6647 §4.5 mentions waits from a minute to a
	// day; for a host that wants more, callers have to ask again themselves.
	recheckTries = 5
	// recheckWait is the wait after a re-check that was deferred again; it
	// doubles.
	recheckWait = 5 * time.Minute
	// leaseSlack is what a claim lasts beyond the time of a verification.
	leaseSlack = time.Minute
	// handBackWait is the time for handing re-checks back to the store when the
	// process ends. Otherwise their lease expires.
	handBackWait = 2 * time.Second
)

// schedule schedules a re-check of a greylisted mailbox.
func (c *Cache) schedule(m mailbox, r rcpt.Result) {
	at, giveUp := r.RetryAt.Add(recheckLate), c.config.Now().Add(c.config.RecheckFor)
	if r.RetryAt.IsZero() || !at.Before(giveUp) {
		return
	}
	c.rechecks.ScheduleRecheck(store.Recheck{Address: m.text(), Egress: c.config.Egress, RunAfter: at, GiveUp: giveUp})
}

// Waiting returns how many addresses wait for a re-check, on all nodes.
func (c *Cache) Waiting(ctx context.Context) (int, error) {
	if c.rechecks == nil {
		return 0, nil
	}
	return c.rechecks.Rechecks(ctx)
}

// Run re-checks greylisted addresses, and clears the memory when another node
// asks for it. It returns when ctx has ended and no re-check is in progress, or
// at once if nothing is kept.
func (c *Cache) Run(ctx context.Context) {
	if c.rechecks == nil {
		return
	}
	var all sync.WaitGroup
	if c.stored != nil {
		all.Go(func() { c.watch(ctx) })
	}
	all.Go(func() { c.recheckNowAndThen(ctx) })
	all.Wait()
}

// watch clears the memory when a node has made all nodes forget their results.
func (c *Cache) watch(ctx context.Context) {
	var seen int64
	c.config.Store.Watch(ctx, store.Versions{}, func(_ context.Context, now store.Versions) error {
		if seen != 0 && now.Verdicts != seen {
			c.forgetHere()
		}
		seen = now.Verdicts
		return nil
	})
}

// recheckNowAndThen claims due addresses within rechecksAtOnce, and finally
// waits for the re-checks in progress.
func (c *Cache) recheckNowAndThen(ctx context.Context) {
	var underWay sync.WaitGroup
	defer underWay.Wait()
	ticker := time.NewTicker(recheckEvery)
	defer ticker.Stop()
	busy := make(chan struct{}, rechecksAtOnce)
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		due, err := c.due(ctx, rechecksAtOnce-len(busy))
		if err != nil && !failing && ctx.Err() == nil {
			c.config.Log.Warn("greylisted addresses wait: those that are due cannot be read", "error", err)
		}
		failing = err != nil
		for _, r := range due {
			busy <- struct{}{}
			underWay.Go(func() {
				defer func() { <-busy }()
				c.recheck(ctx, r)
			})
		}
	}
}

func (c *Cache) due(ctx context.Context, room int) ([]store.Recheck, error) {
	if room <= 0 {
		return nil, nil
	}
	return c.rechecks.ClaimRechecks(ctx, c.config.Egress, room, c.config.Timeout+leaseSlack)
}

// recheck handles one claimed address. If another node has it by now
// ([store.ErrLeaseLost]), it is done.
func (c *Cache) recheck(ctx context.Context, r store.Recheck) {
	until, again := c.safely(ctx, r)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBackWait)
	defer cancel()
	var err error
	if again {
		err = c.rechecks.PostponeRecheck(within, r, until)
	} else {
		err = c.rechecks.FinishRecheck(within, r)
	}
	if err != nil && !errors.Is(err, store.ErrLeaseLost) {
		c.config.Log.Warn("the outcome of a re-check cannot be stored: it is done once more", "error", err)
	}
}

// safely is next, but gives up an address at which the engine panics: it would
// panic again after every restart.
func (c *Cache) safely(ctx context.Context, r store.Recheck) (until time.Time, again bool) {
	defer func() {
		if fault := recover(); fault != nil {
			// The text of the panic may contain the address.
			c.config.Log.Error("panic", "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			until, again = time.Time{}, false
		}
	}()
	return c.next(ctx, r)
}

// next verifies a claimed address unless that has become unnecessary, and
// returns whether and when to do it again.
func (c *Cache) next(ctx context.Context, r store.Recheck) (time.Time, bool) {
	m, ok := c.read(r.Address)
	if !ok {
		return time.Time{}, false
	}
	if known, from := c.recall(ctx, m); from != nowhere && known.Verdict != rcpt.VerdictUnknown {
		return time.Time{}, false // a caller has verified it since
	} else if from != nowhere && known.Reason == rcpt.ReasonGreylisted {
		// A caller asked meanwhile and was deferred, too.
		return c.config.Now().Add(known.RetryAfter() + recheckLate), true
	}
	c.counts.asked.Add(1)
	a, _ := c.share(ctx, m, 0, false)
	return c.judge(ctx, r, a)
}

// judge returns whether and when another re-check is due. A temporary failure
// of the host is not its final answer.
func (c *Cache) judge(ctx context.Context, r store.Recheck, a answer) (time.Time, bool) {
	now := c.config.Now()
	if ctx.Err() != nil {
		return now, true // the process ends
	}
	if a.Err == nil && (a.Value.Verdict != rcpt.VerdictUnknown || a.Value.RetryAt.IsZero()) {
		c.counts.settled.Add(1)
		return time.Time{}, false
	}
	until := now.Add(recheckWait << (r.Attempts - 1))
	if hint := a.Value.RetryAt.Add(recheckLate); a.Err == nil && hint.After(until) {
		until = hint
	}
	if r.Attempts >= recheckTries || !until.Before(r.GiveUp) {
		c.counts.givenUp.Add(1)
		return time.Time{}, false
	}
	return until, true
}
