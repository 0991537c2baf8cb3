package netcheck

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
)

// Resolver proves that the resolver works before its denials are believed.
// The rule:
//
//   - A round asks the resolver anew for the MX records of each well-known
//     domain. It is passed if none of them is denied and most are found.
//   - A resolver starts without trust. It gains trust by passing [proofRounds]
//     rounds in a row, finding public addresses for the mail hosts of these
//     domains, and denying a random name; it keeps it for [proofLasts]. It
//     loses trust by failing a round; then none of its denials is believed for
//     [doubtLasts], and it must gain trust again.
//   - A denial is believed if it was heard [Hearings] times, and a trusted
//     resolver has passed a round after each of them.
//
// A resolver that has begun to deny everything fails the round after its first
// denial. One that denies each query with probability p must deny a name six
// times (A and AAAA of a mail host, three times) and tell the truth about fifty
// times: p^6 × (1-p)^50, which is at most 1e-8 (p = 0.11). One that alternates
// between truth and denial would have to do so between one round and the next,
// several times. A filter that always denies some names, and no well-known one,
// is detected only if it says so: see [dnsresolve]. A nil Resolver makes no
// checks.
//
// Callers share rounds: one that had not begun when a denial was heard counts
// for all denials heard until then.
type Resolver struct {
	Resolver *dnsresolve.Resolver
	Domains  []string
	Blamed   func(dnsresolve.Findings) bool // whether an answer would be held against the domain
	Base     context.Context                // ends with Close
	Changed  func(Check)

	heard atomic.Int64 // when the resolver last answered a question, in nanoseconds since 1970; zero: never
	calm  atomic.Bool  // it has found a domain, and the last check did not fail

	course
	invents      bool // it finds what cannot exist, or what is not so
	found        bool // it has found a domain of a verification
	trustedUntil time.Time
	began        time.Time // of the latest round
	turn         int
	next         *outcome // of a round that has not begun; nil: no caller waits for one
	running      bool
	settled      map[string]time.Time // domains whose denial is believed, and until when
}

const (
	proofRounds = 8
	// Hearings is how often a denial must be heard.
	Hearings   = 3
	proofLasts = 10 * time.Minute
	doubtLasts = time.Minute
	// settledLasts is as long as package dnsresolve keeps a denial.
	settledLasts = 5 * time.Minute
	mostSettled  = 10_000
	// roundEvery limits what the check costs while many domains are denied;
	// callers that wait share the next round.
	roundEvery = 50 * time.Millisecond
	// roundTimeout allows one try at a silent server, and another server after
	// it.
	roundTimeout = 5 * time.Second
	// suspectAfter is how long nothing may answer at all before the check is
	// made, so that bulk need not wait for look-ups to time out.
	suspectAfter = 2 * time.Second
)

// silent reports whether the resolver has answered nothing for so long.
func (c *Resolver) silent() bool { return time.Since(time.Unix(0, c.heard.Load())) > suspectAfter }

// outcome is the outcome of a round or a check, for callers that wait for it.
type outcome struct {
	done  chan struct{}
	fault string
}

// wait returns the fault, or that there was no time for one to be found.
func (o *outcome) wait(ctx context.Context) string {
	select {
	case <-o.done:
		return o.fault
	case <-ctx.Done():
		return "the check of the network was not over in time"
	}
}

// Status returns the latest outcome, and makes a check again that has failed.
// The resolver has worked, too, if it found the domain of a verification
// without inventing answers.
func (c *Resolver) Status() Check {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renew()
	last := c.last
	last.EverWorked = last.EverWorked || c.found && !c.invents
	return last
}

// Pass returns after a round that began after the call, with the reason why the
// resolver cannot be believed; empty: it can.
func (c *Resolver) Pass(ctx context.Context) (fault string) {
	c.mu.Lock()
	switch {
	case c.last.failed(doubtLasts):
		defer c.mu.Unlock()
		return c.last.Fault
	case c.Base.Err() != nil:
		c.mu.Unlock()
		return "the check of the network was ended"
	}
	next := c.join()
	c.mu.Unlock()
	return next.wait(ctx)
}

// join returns the outcome of the next round to begin. The lock is held.
func (c *Resolver) join() *outcome {
	if c.next == nil {
		c.next = &outcome{done: make(chan struct{})}
	}
	next := c.next
	if !c.running {
		c.running = true
		c.work.Go(c.run)
	}
	return next
}

// run makes rounds as long as callers wait for one.
func (c *Resolver) run() {
	for {
		c.mu.Lock()
		wait := time.Until(c.began.Add(roundEvery))
		c.mu.Unlock()
		c.sleep(wait)
		c.mu.Lock()
		next, trusted := c.next, time.Now().Before(c.trustedUntil)
		c.next, c.running = nil, c.next != nil
		if next == nil {
			c.mu.Unlock()
			return
		}
		c.began = time.Now()
		c.mu.Unlock()
		fault, invents := c.prove(trusted)
		for _, done := range append(c.note(fault, invents, trusted), next) {
			done.fault = fault
			close(done.done)
		}
	}
}

func (c *Resolver) sleep(wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.Base.Done():
	}
}

// prove makes a round, and as many as it takes to gain trust.
func (c *Resolver) prove(trusted bool) (fault string, invents bool) {
	rounds := 1
	if !trusted {
		rounds = proofRounds
	}
	for range rounds {
		c.turn++ // only run does this
		if fault := c.round(c.Resolver.Anew(c.turn)); fault != "" {
			return fault, false
		}
	}
	if trusted {
		return "", false
	}
	if fault := c.inventing(c.Resolver.Anew(c.turn)); fault != "" {
		return fault, true
	}
	fault = c.misleading(c.Resolver.Anew(c.turn))
	return fault, fault != ""
}

// note records the outcome of a proof. It returns the callers that wait for the
// next one in vain: a resolver that is in doubt gets none for a while.
func (c *Resolver) note(fault string, invents, trusted bool) (inVain []*outcome) {
	if c.Base.Err() != nil {
		return nil // the rounds were ended by Close
	}
	c.mu.Lock()
	changed := c.last.note(fault)
	c.invents = invents
	c.calm.Store(c.found && fault == "")
	if fault == "" {
		c.heard.Store(time.Now().UnixNano())
	}
	switch {
	case fault != "":
		c.trustedUntil = time.Time{}
		clear(c.settled)
		if c.next != nil {
			inVain, c.next = append(inVain, c.next), nil
		}
	case !trusted:
		c.trustedUntil = time.Now().Add(proofLasts)
	}
	last := c.last
	c.mu.Unlock()
	if changed {
		c.Changed(last)
	}
	return inVain
}

// Begins is called when a verification asks the resolver. Until the resolver
// has answered something, it is watched.
func (c *Resolver) Begins() {
	if c == nil || c.heard.Load() > 0 {
		return
	}
	begin(&c.course, c.Base, c, (*Resolver).suspect)
}

// suspect begins a check in the background if nothing was heard and none was
// made.
func (c *Resolver) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.heard.Load() == 0 && c.last.Outcome == Untested && c.Base.Err() == nil {
		c.join()
	}
}

// Ended is called with what a verification heard from the resolver. If it heard
// nothing, and nobody else did lately, it waits for the check: the resolver may
// not work any more, and the check is to be over when a run or a command ends.
func (c *Resolver) Ended(ctx context.Context, found dnsresolve.Findings) {
	if c == nil {
		return
	}
	if !c.hears(found) && c.silent() && (len(found.Lookups) > 0 || c.heard.Load() == 0) {
		c.Pass(ctx)
	}
	if found.Status != dnsresolve.StatusOK || c.calm.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = true
	c.calm.Store(c.last.Outcome != Failed)
	c.renew()
}

// renew makes a check again that has failed and counts no longer: the resolver
// may work again. The lock is held.
func (c *Resolver) renew() {
	if c.last.Outcome == Failed && !c.last.failed(doubtLasts) && c.Base.Err() == nil {
		c.join()
	}
}

func (c *Resolver) hears(found dnsresolve.Findings) bool {
	for _, l := range found.Lookups {
		if l.Status.Temporary() {
			continue
		}
		if !l.Cached {
			c.heard.Store(time.Now().UnixNano())
		}
		return true
	}
	return false
}

// Settled reports whether the denial of a domain was believed not long ago.
func (c *Resolver) Settled(domain string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.settled[domain])
}

// Settle notes that the denial of a domain is believed.
func (c *Resolver) Settle(domain string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled == nil || len(c.settled) >= mostSettled {
		c.settled = make(map[string]time.Time)
	}
	c.settled[domain] = time.Now().Add(settledLasts)
}

// Close waits for the rounds, which end with the base.
func (c *Resolver) Close() {
	if c == nil {
		return
	}
	c.end()
}
