package netcheck

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Port finds out whether mail hosts can be reached from here at all. A check is
// made if none was ever reached, or [manySilent] different ones in a row were
// not: then one of the mail hosts of the well-known domains must greet. Any
// greeting, also in a verification, proves that port 25 is open. A check that
// has failed counts for a minute, and shortens others: see [Port.Closed]. A nil
// Port makes no checks.
type Port struct {
	// Hosts returns the addresses of a domain's mail hosts that may be dialled.
	Hosts   func(ctx context.Context, domain string) []netip.Addr
	Domains []string
	Dialer  smtpprobe.Dialer
	Port    uint16
	Hidden  bool            // there are proxies or source addresses on the way
	Ways    func() int      // how many egresses there are
	Base    context.Context // ends with Close
	Changed func(Check)

	reached atomic.Bool // a mail host has greeted, and none was out of reach since
	answers answers     // which mail hosts have greeted

	course
	silent map[netip.AddrPort]struct{} // out of reach since the last greeting; at most manySilent
	flight *outcome                    // of the check in progress
	trying bool                        // a connection, beside verifications that are not carried out
}

const (
	// manySilent is the number of mail hosts in a row that must be out of reach
	// before the network is suspected: some hosts are always dead.
	manySilent = 5
	// openLasts is how long a check that was passed is not made again.
	openLasts = time.Minute
	// greetTimeout bounds the connection to a well-known mail host and its
	// greeting. These hosts answer quickly.
	greetTimeout = 3 * time.Second
	// nextAfter is how long one of them may take before the next is tried
	// concurrently.
	nextAfter   = 500 * time.Millisecond
	quitTimeout = time.Second

	maxGreeting = 512 // octets of its first line (RFC 5321 §4.5.3.1.5)
)

// Begins is called when a verification asks a mail host.
func (c *Port) Begins() {
	if c == nil || c.reached.Load() {
		return
	}
	begin(&c.course, c.Base, c, (*Port).suspect)
}

// suspect begins a check in the background if no mail host was reached and none
// was made.
func (c *Port) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last.EverWorked && c.last.Outcome == Untested && c.Base.Err() == nil {
		c.join()
	}
}

// Ended is called with what mail hosts said to a verification, and reports
// whether port 25 may be the cause.
func (c *Port) Ended(said smtpprobe.Findings) (suspected bool) {
	if c == nil {
		return false
	}
	silent := outOfReach(said)
	c.answers.note(said, silent)
	if len(silent) == 0 {
		c.greeted(said)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reached.Store(false)
	for _, addr := range silent {
		if c.silent == nil {
			c.silent = make(map[netip.AddrPort]struct{})
		}
		if len(c.silent) < manySilent {
			c.silent[addr] = struct{}{}
		}
	}
	return !c.last.EverWorked || c.last.Outcome == Failed || len(c.silent) >= manySilent
}

// outOfReach returns the addresses that were tried, if none of the hosts said
// anything and none was skipped on purpose.
func outOfReach(said smtpprobe.Findings) (silent []netip.AddrPort) {
	for i := range said.Sessions {
		s := &said.Sessions[i]
		early := s.Failure != nil && (s.Failure.Phase == smtp.PhaseConnect || s.Failure.Phase == smtp.PhaseGreeting)
		if s.Greeting != nil || !early {
			return nil
		}
		switch s.Failure.Kind {
		case smtp.KindTimeout, smtp.KindRefused, smtp.KindReset, smtp.KindClosed, smtp.KindUnreachable:
			silent = append(silent, s.Addr)
		default:
			return nil
		}
	}
	return silent
}

// greeted notes that a mail host was reached, if one was.
func (c *Port) greeted(said smtpprobe.Findings) {
	if c.reached.Load() {
		return
	}
	for i := range said.Sessions {
		if said.Sessions[i].Greeting != nil {
			c.note("")
			return
		}
	}
}

// Pass checks port 25, or waits for a check in progress, and returns what is
// wrong; empty: nothing, or it could not be found out.
func (c *Port) Pass(ctx context.Context) (fault string) {
	c.mu.Lock()
	switch {
	case c.counts():
		defer c.mu.Unlock()
		c.renew()
		return c.last.Fault
	case c.last.Outcome == Passed && time.Since(c.last.CheckedAt) < openLasts, c.Base.Err() != nil:
		c.mu.Unlock()
		return ""
	}
	flight := c.join()
	c.mu.Unlock()
	select {
	case <-flight.done:
		return flight.fault
	case <-ctx.Done():
		return ""
	}
}

// join returns the outcome of the check in progress. The lock is held.
func (c *Port) join() *outcome {
	if c.flight == nil {
		flight := &outcome{done: make(chan struct{})}
		c.flight = flight
		c.work.Go(func() { c.fly(flight) })
	}
	return c.flight
}

func (c *Port) fly(flight *outcome) {
	if tried, greeted := c.reachOut(); len(tried) > 0 && c.Base.Err() == nil {
		if !greeted {
			flight.fault = c.explain(tried)
		}
		c.note(flight.fault)
	}
	c.mu.Lock()
	c.flight = nil
	c.mu.Unlock()
	close(flight.done)
}

func (c *Port) explain(tried []string) string {
	const text = "no mail host can be reached at port %d, not even that of %s"
	fault := fmt.Sprintf(text, c.Port, strings.Join(tried, ", "))
	if c.Hidden {
		return fault + ": look after the proxies and source addresses that lead there"
	}
	return fault + ": this network seems to block outgoing SMTP connections"
}

// note records whether mail hosts can be reached.
func (c *Port) note(fault string) {
	c.mu.Lock()
	changed := c.last.note(fault)
	if fault == "" {
		clear(c.silent)
		c.reached.Store(true)
	}
	last := c.last
	c.mu.Unlock()
	if changed {
		c.Changed(last)
	}
}

// reachOut tries to reach the mail hosts of the well-known domains, and the
// next one if those before take long. It returns the domains whose hosts were
// tried, and whether one of them greeted.
func (c *Port) reachOut() (tried []string, greeted bool) {
	results := make(chan bool, 2*len(c.Domains))
	open := 0
	for i, addrs := range c.lookUp() {
		if len(addrs) == 0 {
			continue
		}
		tried = append(tried, c.Domains[i])
		for _, addr := range addrs {
			open++
			c.work.Go(func() { c.greets(addr, results) })
		}
		if done, ok := collect(results, &open, time.After(nextAfter)); done {
			return tried, ok
		}
	}
	_, greeted = collect(results, &open, nil)
	return tried, greeted
}

// collect waits for results until one is good, all have arrived, or enough time
// has passed.
func collect(results <-chan bool, open *int, enough <-chan time.Time) (done, greeted bool) {
	for *open > 0 {
		select {
		case ok := <-results:
			*open--
			if ok {
				return true, true
			}
		case <-enough:
			return false, false
		}
	}
	return false, false
}

// lookUp returns addresses of the mail hosts of each domain.
func (c *Port) lookUp() [][]netip.AddrPort {
	addrs := make([][]netip.AddrPort, len(c.Domains))
	var all sync.WaitGroup
	for i, domain := range c.Domains {
		all.Go(func() { addrs[i] = c.addrsOf(domain) })
	}
	all.Wait()
	return addrs
}

// addrsOf returns an IPv4 and an IPv6 address of a mail host of a domain, if
// there are such.
func (c *Port) addrsOf(domain string) (picked []netip.AddrPort) {
	ctx, cancel := context.WithTimeout(c.Base, roundTimeout)
	defer cancel()
	var has4, has6 bool
	for _, ip := range c.Hosts(ctx, domain) {
		has := &has6
		if ip.Is4() {
			has = &has4
		}
		if !*has {
			*has = true
			picked = append(picked, netip.AddrPortFrom(ip, c.Port))
		}
	}
	return picked
}

// greets reports whether a host greets as a mail host does, in whatever words,
// and ends the session.
func (c *Port) greets(addr netip.AddrPort, result chan<- bool) {
	ctx, cancel := context.WithTimeout(c.Base, greetTimeout)
	defer cancel()
	conn, err := c.Dialer.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		result <- false
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(greetTimeout))
	defer context.AfterFunc(c.Base, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	line, err := bufio.NewReaderSize(conn, maxGreeting).ReadSlice('\n')
	result <- err == nil && isGreeting(line)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(quitTimeout))
	if _, err := io.WriteString(conn, "QUIT\r\n"); err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxGreeting))
	}
}

// isGreeting reports whether a line is the greeting of a mail host, positive or
// not (2yz, 4yz, 5yz).
func isGreeting(line []byte) bool {
	if len(line) < len("220\n") || line[0] != '2' && line[0] != '4' && line[0] != '5' {
		return false
	}
	return line[1] >= '0' && line[1] <= '9' && line[2] >= '0' && line[2] <= '9'
}

// Close waits for the checks in progress, which end with the base.
func (c *Port) Close() {
	if c == nil {
		return
	}
	c.end()
}
