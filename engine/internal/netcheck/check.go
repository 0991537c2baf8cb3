package netcheck

import (
	"context"
	"sync"
	"time"
	"weak"
)

// Check is the latest outcome of a check.
type Check struct {
	Outcome Outcome
	// Fault says what does not work, for people; empty unless the check failed.
	Fault string
	// Since is when the outcome began, CheckedAt when it was last confirmed.
	Since, CheckedAt time.Time
	// EverWorked is set once the check was passed, or a verification succeeded
	// without one.
	EverWorked bool
}

// Outcome is how a check stands.
type Outcome int

// The outcomes.
const (
	Untested Outcome = iota // there was no cause for one yet
	Passed
	Failed
)

// failed reports whether the check failed so recently that it need not be
// repeated.
func (c Check) failed(lasts time.Duration) bool {
	return c.Outcome == Failed && time.Since(c.CheckedAt) < lasts
}

// note records an outcome; empty: the check was passed. It reports whether that
// changes it.
func (c *Check) note(fault string) (changed bool) {
	outcome, now := Passed, time.Now()
	if fault != "" {
		outcome = Failed
	}
	changed = c.Outcome != outcome
	if changed {
		c.Since = now
	}
	c.Outcome, c.Fault, c.CheckedAt = outcome, fault, now
	c.EverWorked = c.EverWorked || outcome == Passed
	return changed
}

// course is what both checks have: the latest outcome, the watch that has one
// made if nothing answers, and the work in progress.
type course struct {
	mu    sync.Mutex
	last  Check
	watch *time.Timer
	work  sync.WaitGroup
}

// begin has suspect called for the check after [suspectAfter], once and unless
// base ends. The watch does not keep a check that was dropped, nor what that
// refers to.
func begin[C any](c *course, base context.Context, check *C, suspect func(*C)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch != nil || base.Err() != nil {
		return
	}
	watched := weak.Make(check)
	c.watch = time.AfterFunc(suspectAfter, func() {
		if check := watched.Value(); check != nil {
			suspect(check)
		}
	})
}

// end ends the watch and waits for the work.
func (c *course) end() {
	c.mu.Lock()
	if c.watch != nil {
		c.watch.Stop()
	}
	c.mu.Unlock()
	c.work.Wait()
}
