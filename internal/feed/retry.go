package feed

import "time"

const (
	// busyWait is the first wait after a mail host was busy; it doubles up to
	// busyWaitMost, about how long a full queue at a mail host lasts.
	busyWait     = time.Second
	busyWaitMost = 32 * time.Second
	// heldWaitMost is the longest wait of an address whose provider is at its
	// limit, if it is not known until when.
	heldWaitMost = 16 * time.Second
	// busyWindow is how long a busy mail host is tried again, if the window is
	// shorter.
	busyWindow = 10 * time.Minute
	// faultTries is how often an address is tried in all when the verification
	// cannot be carried out. A lack of descriptors or memory may pass; other
	// faults stay.
	faultTries = 3
	faultWait  = 2 * time.Second
	// Retries of one domain come together, on a grid of instants that are a
	// tenth of the wait apart, but not more than jitterMost.
	jitterShare = 10
	jitterMost  = 30 * time.Second
	// A last try may come lateShare of the window late if the mail host asks
	// for it, so that jitter does not cost a try.
	lateShare = 10
)

// Retries decide when an address is asked about again.
type Retries struct {
	// Window is how long temporary answers are retried, from the first one.
	Window time.Duration
	// Ends: the list is to end soon, and what is held back is treated as if its
	// mail host was busy.
	Ends bool
	// Grid is a number of a domain, for its grid of instants.
	Grid func(domain string) uint64
}

// Tries counts the tries for an address.
type Tries struct {
	Since        time.Duration // of the first answer, or before there is one, when the host was first busy
	Answers      uint16        // temporary ones
	busy, faults uint16
	held         uint8 // how often it was held back
}

// Kind is what came of a try.
type Kind uint8

// What may come of a try.
const (
	Answered Kind = iota // a result
	Busy                 // too many wait for the mail host
	HeldBack             // the provider is asked as much as it may be
	Fault                // the verification could not be carried out
)

// retryWait returns the least wait before the retry after that many answers.
func retryWait(answers uint16) time.Duration {
	waits := [...]time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute}
	return waits[min(int(answers), len(waits))-1]
}

// Next returns when to try again after what came of a try now. The hint is how
// long the mail host or the provider wants to be left alone; zero: it is not
// known, or an answer is not temporary. False: there is no other try.
func (r Retries) Next(t *Tries, domain string, k Kind, hint, now time.Duration) (due time.Duration, again bool) {
	switch {
	case k == HeldBack && !r.Ends:
		return r.afterHeldBack(t, domain, hint, now), true
	case k == HeldBack, k == Busy:
		return r.afterBusy(t, domain, now)
	case k == Fault:
		t.faults++
		return now + time.Duration(t.faults)*faultWait, t.faults < faultTries
	case hint > 0:
		return r.afterAnswer(t, domain, hint, now)
	}
	return 0, false
}

// afterAnswer is rule 3.1.
func (r Retries) afterAnswer(t *Tries, domain string, hint, now time.Duration) (time.Duration, bool) {
	if t.Answers == 0 {
		t.Since = now
	}
	t.Answers++
	end := t.Since + r.Window
	wait := max(hint, retryWait(t.Answers))
	grid := min(wait/jitterShare, jitterMost)
	if due := r.spread(domain, now+wait, grid); due <= end {
		return due, true
	}
	last := max(end, now+hint)
	return r.spread(domain, last, grid), now < end && last <= end+r.Window/lateShare
}

// afterBusy is rule 3.2.
func (r Retries) afterBusy(t *Tries, domain string, now time.Duration) (time.Duration, bool) {
	if t.Answers == 0 && t.busy == 0 {
		t.Since = now
	}
	wait := min(busyWait<<min(t.busy, 16), busyWaitMost)
	t.busy++
	due := r.spread(domain, now+wait, wait)
	return due, due <= t.Since+max(r.Window, busyWindow)
}

// afterHeldBack is rule 3.3.
func (r Retries) afterHeldBack(t *Tries, domain string, hint, now time.Duration) time.Duration {
	wait := max(hint, min(busyWait<<t.held, heldWaitMost))
	t.held = min(t.held+1, 8)
	return r.spread(domain, now+wait, min(wait, heldWaitMost))
}

// spread returns the first instant of the domain's grid that is not before at.
// (Rule 3.5)
func (r Retries) spread(domain string, at, grid time.Duration) time.Duration {
	if grid <= 0 {
		return at
	}
	offset := time.Duration(r.Grid(domain) % uint64(grid))
	past := (at - offset + grid) % grid // at is not negative
	if past == 0 {
		return at
	}
	return at + grid - past
}
